import { ownValue } from "@csi-sidecars/base";
import type { ServiceDefinition } from "@csi-sidecars/csi";
import type { CallOptions } from "../call-options.ts";
import type { ApiGroupName } from "./api-groups.ts";
import { diskMethods } from "./disk-methods.ts";
import { filesystemMethods } from "./filesystem-methods.ts";
import { iscsiMethods } from "./iscsi-methods.ts";
import type { CsiProxyHandlers } from "./library.ts";
import { services } from "./services.ts";
import { smbMethods } from "./smb-methods.ts";
import { systemMethods } from "./system-methods.ts";
import type { GroupMethods } from "./versioned-methods.ts";
import { volumeMethods } from "./volume-methods.ts";

const translations: { readonly [G in ApiGroupName]: (handler: CsiProxyHandlers[G]) => GroupMethods<G> } = {
  disk: diskMethods,
  volume: volumeMethods,
  filesystem: filesystemMethods,
  smb: smbMethods,
  iscsi: iscsiMethods,
  system: systemMethods,
};

/** A method of any service. */
export type AnyMethod = (request: object, options?: CallOptions) => Promise<object>;

/** One group in one version: its generated service, and what its methods do, by the same keys. */
export interface ImplementedService {
  readonly definition: ServiceDefinition;
  readonly methods: Readonly<Record<string, AnyMethod>>;
}

/** A version of a group over the group's handler in the library. Throws for a version that was never released. */
export function implementService<G extends ApiGroupName>(
  group: G,
  version: string,
  handlers: Pick<CsiProxyHandlers, G>,
): ImplementedService {
  const definition = ownValue<ServiceDefinition>(ownValue(services, group) ?? {}, version);
  if (!definition) throw new Error(`csi-proxy has no API ${group} ${version}`);
  const versions = translations[group](handlers[group]) as Readonly<Record<string, object>>;
  return { definition, methods: { ...ownValue(versions, version) } };
}
