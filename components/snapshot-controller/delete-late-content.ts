import { apiCallOptions, holdingPatch, type PatchTarget, patchNewest } from "@csi-sidecars/controller";
import { type Cached, ignoreNotFound, type KubeObject, type ObjectRef, type Resource, refKey } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "./controller-context.ts";
import type { DeletedSnapshots } from "./deleted-snapshots.ts";

type LateContext = Pick<SnapshotControllerContext, "kube" | "lateContents" | "log">;

/**
 * What has become of the snapshot of a content, which the watch does not show. One that is missing is no reason to delete its content: only if it
 * existed, and was deleted, is the content late from then on. What the driver has taken is late only if our finalizer was not heeded: somebody may
 * have removed it, and the snapshot with it, to keep what was taken. Any other one stays.
 */
export async function findOwner<T extends KubeObject>(
  c: LateContext,
  resource: Resource<T>,
  deletedSnapshots: Pick<DeletedSnapshots<T>, "find">,
  { name, namespace, uid, isTaken }: ObjectRef & { readonly uid: string; readonly isTaken: boolean },
  signal: AbortSignal,
): Promise<"exists" | "deleted" | "missing"> {
  const found = await ignoreNotFound(c.kube.get(resource, { name, namespace }, apiCallOptions(signal)));
  // Another one may have its name.
  if (found && (found.metadata?.uid ?? uid) === uid) return "exists";
  const deletion = await deletedSnapshots.find(uid, signal);
  const isLate = isTaken ? deletion === "under our finalizer" : deletion !== undefined;
  if (isLate) c.lateContents.expect(uid);
  else c.lateContents.spare(uid);
  return deletion === undefined ? "missing" : "deleted";
}

type Annotated = Cached & {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string | undefined>>;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
};

interface LateContent<P> {
  /** The kind of its snapshot, and which it is. */
  readonly owner: Resource;
  readonly ref: ObjectRef & { readonly uid: string };
  /** The annotation that says so. */
  readonly beingDeleted: string;
  readonly finalizer: string;
  /** Whether it is late as the server has it. */
  isLate(newest: P): boolean;
}

/**
 * Deletes a content whose snapshot nobody wants. csi-snapshotter has to know that, by the annotation, before the content is deleted. The API server
 * is asked for the snapshot first: to the watch one is gone that a list left out, and a list that is wrong would delete every snapshot.
 */
export async function deleteLateContent<T extends KubeObject, P extends Annotated>(
  c: LateContext,
  target: PatchTarget<T, P>,
  content: P,
  { owner, ref, beingDeleted, finalizer, isLate }: LateContent<P>,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid } = content.metadata;
  const found = await ignoreNotFound(c.kube.get(owner, ref, apiCallOptions(signal)));
  if (found && (found.metadata?.uid ?? ref.uid) === ref.uid && !found.metadata?.deletionTimestamp) {
    c.log.error(undefined, "A snapshot was not listed but exists, its content stays", { kind: owner.kind, snapshot: refKey(ref) });
    c.lateContents.exists(ref.uid);
    return;
  }
  const plan = (newest: P) => (isLate(newest) ? holdingPatch(newest, finalizer, { [beingDeleted]: "yes" }) : undefined);
  const marked = await patchNewest(target, content, plan, apiCallOptions(signal));
  // Its owner may have changed the policy just now.
  if (!marked || !isLate(marked)) return;
  c.log.info("Deleting a content that was created after its snapshot had gone", { kind: target.resource.kind, content: name });
  await ignoreNotFound(c.kube.delete(target.resource, { name }, { ...apiCallOptions(signal), preconditions: { uid } }));
}
