import type { Kind } from "../kinds/kind.ts";
import { arrayAt, type JsonObject, stringAt, withAt } from "../rules/json.ts";
import { groupResource } from "../rules/kind.ts";
import { deleteObject } from "./objects/delete-object.ts";
import { metadataOf } from "./objects/metadata.ts";
import { removeObject } from "./objects/namespace-lifecycle.ts";
import { type ServerState, tableOf } from "./server-state.ts";
import type { Change } from "./store/history.ts";
import type { Revision } from "./store/revision.ts";

const collector = {
  user: { name: "system:serviceaccount:kube-system:generic-garbage-collector", groups: ["system:masters"] },
  dryRun: false,
};
const noOptions = { uid: undefined, resourceVersion: undefined, gracePeriodSeconds: undefined, propagationPolicy: undefined };

/**
 * Stands in for kube-controller-manager's garbage collector: dependents are deleted with their owners, orphaned, or block the deletion of their
 * owner, as the propagation policy says. It acts after the change itself has reached every watcher. It scans all objects, so it does not suit
 * thousands of deletions.
 */
export function collectGarbage(state: ServerState): void {
  state.store.onChange((change) => {
    if (isRelevant(change)) queueMicrotask(() => collect(state, change));
  });
}

const waitsFor = (object: JsonObject, finalizer: string): boolean =>
  metadataOf(object).deletionTimestamp !== undefined && arrayAt(object, "metadata", "finalizers").includes(finalizer);

const isRelevant = ({ current }: Change): boolean =>
  current === undefined || waitsFor(current.object, "orphan") || waitsFor(current.object, "foregroundDeletion");

function collect(state: ServerState, { current, previous }: Change): void {
  if (!current) {
    if (previous) afterRemoval(state, previous.object);
    return;
  }
  const [found] = presentOf(state, [stringAt(current.object, "metadata", "uid")]);
  if (!found) return;
  if (waitsFor(found.revision.object, "orphan")) orphanDependents(state, found);
  else if (waitsFor(found.revision.object, "foregroundDeletion")) deleteDependents(state, found);
}

/** Deletes dependents whose last owner is gone, and releases owners that waited for their last dependent. */
function afterRemoval(state: ServerState, removed: JsonObject): void {
  for (const dependent of dependentsOf(state, stringAt(removed, "metadata", "uid"))) {
    if (presentOf(state, ownersOf(dependent.revision.object)).length === 0) remove(state, dependent);
  }
  for (const owner of presentOf(state, ownersOf(removed))) {
    if (waitsFor(owner.revision.object, "foregroundDeletion")) deleteDependents(state, owner);
  }
}

function orphanDependents(state: ServerState, owner: Stored): void {
  for (const dependent of dependentsOf(state, uidOf(owner))) dropOwnerReference(state, dependent, uidOf(owner));
  removeFinalizer(state, owner, "orphan");
}

/** A dependent that has another owner loses only the reference to this one. */
function deleteDependents(state: ServerState, owner: Stored): void {
  for (const dependent of dependentsOf(state, uidOf(owner))) {
    const { object } = dependent.revision;
    const staying = presentOf(state, ownersOf(object)).some((other) => !waitsFor(other.revision.object, "foregroundDeletion"));
    if (staying) dropOwnerReference(state, dependent, uidOf(owner));
    else if (metadataOf(object).deletionTimestamp === undefined) remove(state, dependent);
  }
  if (dependentsOf(state, uidOf(owner)).length === 0) removeFinalizer(state, owner, "foregroundDeletion");
}

const uidOf = ({ revision }: Stored): string => stringAt(revision.object, "metadata", "uid");

function dropOwnerReference(state: ServerState, { kind, revision }: Stored, owner: string): void {
  const left = arrayAt(revision.object, "metadata", "ownerReferences").filter((reference) => stringAt(reference, "uid") !== owner);
  const references = left.length === 0 ? undefined : left;
  state.store.put(tableOf(state, kind), revision.key, withAt(revision.object, ["metadata", "ownerReferences"], references));
}

function remove(state: ServerState, { kind, revision }: Stored): void {
  const namespace = kind.namespaced ? stringAt(revision.object, "metadata", "namespace") : undefined;
  deleteObject(state, { kind, namespace, name: stringAt(revision.object, "metadata", "name") }, noOptions, collector);
}

/** Removes the finalizer, and the object with its last finalizer. */
function removeFinalizer(state: ServerState, { kind, revision }: Stored, finalizer: string): void {
  const left = arrayAt(revision.object, "metadata", "finalizers").filter((one) => one !== finalizer);
  if (left.length === 0 && !metadataOf(revision.object).deletionGracePeriodSeconds) removeObject(state, kind, revision.key);
  else state.store.put(tableOf(state, kind), revision.key, withAt(revision.object, ["metadata", "finalizers"], left));
}

/** A stored object, with its kind. */
interface Stored {
  readonly kind: Kind;
  readonly revision: Revision;
}

/** The uids of an object's owners. */
const ownersOf = (object: JsonObject): readonly string[] =>
  arrayAt(object, "metadata", "ownerReferences").map((reference) => stringAt(reference, "uid"));

/** All objects whose owner has the uid. */
const dependentsOf = (state: ServerState, uid: string): readonly Stored[] => stored(state, (object) => ownersOf(object).includes(uid));

/** Those of the objects with the uids that exist. */
const presentOf = (state: ServerState, uids: readonly string[]): readonly Stored[] =>
  uids.length === 0 ? [] : stored(state, (object) => uids.includes(stringAt(object, "metadata", "uid")));

function stored(state: ServerState, wanted: (object: JsonObject) => boolean): readonly Stored[] {
  const kinds = state.kinds.all().filter((kind) => kind.viewOf === undefined);
  const oneForEachTable = new Map(kinds.map((kind) => [groupResource(kind), kind])).values();
  return [...oneForEachTable].flatMap((kind) =>
    [...tableOf(state, kind).values()].filter(({ object }) => wanted(object)).map((revision) => ({ kind, revision })),
  );
}
