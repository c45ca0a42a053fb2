import type { Client, ObjectRef, Resource, Transport } from "@csi-sidecars/kube";
import type { ApiServer } from "../apiserver/api-server.ts";
import type { OlderApi } from "../apiserver/older-api.ts";
import type { RecordedRequest, RequestFilter } from "../apiserver/request-log.ts";
import type { JsonObject } from "../rules/json.ts";

/** A user without any rights until a role is bound. */
export interface TestUser {
  readonly name: string;
  readonly token: string;
}

/**
 * An API server to test against: the embedded one, or a real kube-apiserver. Tests that use nothing but this interface run on both.
 */
export interface Cluster extends AsyncDisposable {
  readonly flavour: "embedded" | "real";
  readonly url: string;
  readonly caPem: string;
  /** In system:masters, without a client-side rate limit. */
  readonly admin: Client;
  readonly adminToken: string;
  newUser(): TestUser;
  /** A connection pool of its own, closed with the cluster. */
  transport(token: string): Transport;
  kubeconfig(token: string): string;
  /** The requests since this cluster was started, in order. */
  requests(filter?: RequestFilter): Promise<readonly Readonly<RecordedRequest>[]>;
  /** Drops the history: a watch of an older version gets 410, at the latest after a restart of the server. */
  compact(): Promise<void>;
  /** Removes an object despite its finalizers, as a delete does that read the object before it had any. */
  removeUnderFinalizers(resource: Resource, ref: ObjectRef): Promise<void>;
  stop(how?: "graceful" | "abrupt"): Promise<void>;
  /** Starts the server again on the same port, with the same data. */
  start(): Promise<void>;
  /** Faults and seeding that only the embedded server can do; absent on a real one. */
  readonly embedded?: ApiServer;
}

export interface ClusterOptions {
  /** Also run the storage controllers that a cluster has: binder, protection, attach/detach, expander. */
  readonly storageControllers?: boolean;
  /** Also run a scheduler and kubelets; by default when storage controllers run. */
  readonly nodes?: boolean;
  /** A server of its own, for tests that stop it. A real server is shared by tests, and emptied between them, unless this is set. */
  readonly own?: boolean;
  /** CustomResourceDefinitions that are served from the start; others can be installed later. */
  readonly definitions?: readonly JsonObject[];
  /** What the server does not have, as an older one. Such a cluster is embedded, whatever the others are. */
  readonly older?: OlderApi;
}
