import { StatusError } from "@csi-sidecars/kube";
import type { Kind } from "../../kinds/kind.ts";
import { at } from "../../rules/json.ts";
import { groupResource } from "../../rules/kind.ts";
import { forbiddenBecause, notFound } from "../../rules/status.ts";
import { type ServerState, tableOf } from "../server-state.ts";

const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false, status: true } as const;

/** Objects are only created in a namespace that exists and is not being deleted. */
export function checkNamespaceTakesContent(state: ServerState, kind: Kind, namespace: string, name: string): void {
  const found = state.store.table("namespaces").get(namespace);
  if (!found) throw notFound(namespaces, namespace);
  if (at(found.object, "metadata", "deletionTimestamp") === undefined) return;
  const because = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = forbiddenBecause(kind.group, kind.plural, name, because);
  const causes = [{ reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated`, field: "metadata.namespace" }];
  throw new StatusError({ ...status, details: { ...status.details, causes } });
}

/** The namespaced kinds, one for each table. */
export function namespacedKinds(state: ServerState): readonly Kind[] {
  const kinds = state.kinds.all().filter((kind) => kind.namespaced && kind.viewOf === undefined);
  return [...new Map(kinds.map((kind) => [groupResource(kind), kind])).values()];
}

/** Removes a namespace that is being deleted once it is empty. */
export function finishNamespace(state: ServerState, namespace: string): void {
  const table = state.store.table("namespaces");
  const found = table.get(namespace);
  if (!found || at(found.object, "metadata", "deletionTimestamp") === undefined) return;
  const empty = namespacedKinds(state).every((kind) => state.store.table(groupResource(kind)).count(namespace) === 0);
  if (empty) state.store.remove(table, namespace);
}

/** Removes an object, and its namespace if that is being deleted and now empty. */
export function removeObject(state: ServerState, kind: Kind, key: string): void {
  state.store.remove(tableOf(state, kind), key);
  const slash = key.indexOf("/");
  if (slash > 0) finishNamespace(state, key.slice(0, slash));
}
