import type { Clock } from "@csi-sidecars/base";
import type { Kind } from "../kinds/kind.ts";
import type { Manager } from "../rules/apply/managed-fields.ts";
import { type AdmissionContext, groupResource } from "../rules/kind.ts";
import type { User } from "../rules/rbac/authorize.ts";
import type { KindRegistry } from "./kind-registry.ts";
import { storageKey } from "./store/revision.ts";
import type { Store } from "./store/store.ts";
import type { Table } from "./store/table.ts";

/** What the operations on objects share. */
export interface ServerState {
  readonly store: Store;
  readonly kinds: KindRegistry;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether kubelets terminate pods: then a pod on a node has its grace period, as on a real server. */
  readonly gracefulPods?: boolean;
  /** How long the content of a namespace outlives the request to delete it; not at all unless given. */
  readonly namespaceDelayMs?: number;
  /** Whether a watch may begin with a list. */
  readonly watchList: boolean;
}

/** The user and options of a write. */
export interface Writer {
  readonly user: User;
  readonly dryRun: boolean;
  /** The field manager. */
  readonly manager?: string;
  /** The managed fields after an apply. */
  readonly managers?: readonly Manager[];
}

/** Where the objects of a kind are kept; all versions of a kind, and views of it, share one table. */
export const tableOf = (state: ServerState, kind: Kind): Table => state.store.table(kind.viewOf ?? groupResource(kind));

/** What admission reads: the stored objects, the user, the time. */
export function admissionContext(state: ServerState, writer: Writer): AdmissionContext {
  return {
    get: (groupResource, namespace, name) => state.store.table(groupResource).get(storageKey(namespace, name))?.object,
    list: (groupResource) => [...state.store.table(groupResource).values()].map((revision) => revision.object),
    user: writer.user,
    now: state.clock.now(),
  };
}

/** The object, or its status, that a request is for. */
export interface Target {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: "status" | undefined;
}
