import { arrayAt, type JsonObject, stringAt, withAt } from "../rules/json.ts";
import { deleteObject } from "./objects/delete-object.ts";
import { dependentsOf, ownersOf, presentOf, type Stored } from "./objects/dependents.ts";
import { metadataOf } from "./objects/metadata.ts";
import { removeObject } from "./objects/remove-object.ts";
import { tableOf, type World } from "./objects/world.ts";
import type { Change } from "./store/change.ts";

const collector = {
  user: { name: "system:serviceaccount:kube-system:generic-garbage-collector", groups: ["system:masters"] },
  dryRun: false,
};
const atOnce = { uid: undefined, resourceVersion: undefined, gracePeriodSeconds: undefined, propagationPolicy: undefined };

/**
 * What kube-controller-manager's garbage collector does, for a cluster that has none: objects go with their owners, are orphaned, or hold their
 * owner until they are gone, as the deletion said. It acts after the change itself has reached every watcher, and looks through all objects, so it
 * is not for thousands of deletions.
 */
export function collectGarbage(world: World): void {
  world.store.onChange((change) => {
    if (concerns(change)) queueMicrotask(() => follow(world, change));
  });
}

const waits = (object: JsonObject, finalizer: string): boolean =>
  metadataOf(object).deletionTimestamp !== undefined && arrayAt(object, "metadata", "finalizers").includes(finalizer);

const concerns = ({ current }: Change): boolean =>
  current === undefined || waits(current.object, "orphan") || waits(current.object, "foregroundDeletion");

function follow(world: World, { current, previous }: Change): void {
  if (!current) {
    if (previous) afterRemoval(world, previous.object);
    return;
  }
  const [found] = presentOf(world, [stringAt(current.object, "metadata", "uid")]);
  if (!found) return;
  if (waits(found.revision.object, "orphan")) orphanDependents(world, found);
  else if (waits(found.revision.object, "foregroundDeletion")) deleteDependents(world, found);
}

/** Dependents go when their last owner has gone; an owner that has waited for the last of them may go. */
function afterRemoval(world: World, removed: JsonObject): void {
  for (const dependent of dependentsOf(world, stringAt(removed, "metadata", "uid"))) {
    if (presentOf(world, ownersOf(dependent.revision.object)).length === 0) remove(world, dependent);
  }
  for (const owner of presentOf(world, ownersOf(removed))) {
    if (waits(owner.revision.object, "foregroundDeletion")) deleteDependents(world, owner);
  }
}

function orphanDependents(world: World, owner: Stored): void {
  for (const dependent of dependentsOf(world, uidOf(owner))) forget(world, dependent, uidOf(owner));
  release(world, owner, "orphan");
}

/** Dependents that have another owner who stays only forget this one. */
function deleteDependents(world: World, owner: Stored): void {
  for (const dependent of dependentsOf(world, uidOf(owner))) {
    const { object } = dependent.revision;
    const staying = presentOf(world, ownersOf(object)).some((other) => !waits(other.revision.object, "foregroundDeletion"));
    if (staying) forget(world, dependent, uidOf(owner));
    else if (metadataOf(object).deletionTimestamp === undefined) remove(world, dependent);
  }
  if (dependentsOf(world, uidOf(owner)).length === 0) release(world, owner, "foregroundDeletion");
}

const uidOf = ({ revision }: Stored): string => stringAt(revision.object, "metadata", "uid");

function forget(world: World, { kind, revision }: Stored, owner: string): void {
  const left = arrayAt(revision.object, "metadata", "ownerReferences").filter((reference) => stringAt(reference, "uid") !== owner);
  const references = left.length === 0 ? undefined : left;
  world.store.put(tableOf(world, kind), revision.key, withAt(revision.object, ["metadata", "ownerReferences"], references));
}

function remove(world: World, { kind, revision }: Stored): void {
  const namespace = kind.namespaced ? stringAt(revision.object, "metadata", "namespace") : undefined;
  deleteObject(world, { kind, namespace, name: stringAt(revision.object, "metadata", "name") }, atOnce, collector);
}

/** Takes its finalizer off; the last one takes the object along. */
function release(world: World, { kind, revision }: Stored, finalizer: string): void {
  const left = arrayAt(revision.object, "metadata", "finalizers").filter((one) => one !== finalizer);
  if (left.length === 0 && !metadataOf(revision.object).deletionGracePeriodSeconds) removeObject(world, kind, revision.key);
  else world.store.put(tableOf(world, kind), revision.key, withAt(revision.object, ["metadata", "finalizers"], left));
}
