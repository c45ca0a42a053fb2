import type { RequestOf, ResponseOf, ServiceDefinition } from "@csi-sidecars/csi";
import type { CallOptions } from "../call-options.ts";
import type { ApiGroupName } from "./api-groups.ts";
import type { services } from "./services.ts";

/** Every method of a service, from its own messages to its own messages. */
export type VersionedMethods<S> = S extends ServiceDefinition
  ? {
      readonly [K in keyof S["methods"]]: (
        request: RequestOf<S["methods"][K]>,
        options?: CallOptions,
      ) => Promise<ResponseOf<S["methods"][K]>>;
    }
  : never;

/** A group's methods in each of its versions, all translated to the same handler of the library. */
export type GroupMethods<G extends ApiGroupName> = {
  readonly [V in keyof (typeof services)[G]]: VersionedMethods<(typeof services)[G][V]>;
};
