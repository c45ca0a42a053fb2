import { annotationsPatch, apiCallOptions, type PatchTarget, patchNewest } from "@csi-sidecars/controller";
import { type Cached, ignoreNotFound, type KubeObject, type ObjectRef, type Resource } from "@csi-sidecars/kube";
import type { SnapshotControllerContext } from "./controller-context.ts";

type LateContext = Pick<SnapshotControllerContext, "kube" | "lateContents" | "log">;

/** Asks the API server whether the snapshot of a content is gone, even if another one has its name. From then on the content is late. */
export async function isOwnerGone(
  c: LateContext,
  resource: Resource,
  ref: ObjectRef & { readonly uid: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { name, namespace, uid } = ref;
  const found = await ignoreNotFound(c.kube.get(resource, { name, namespace }, apiCallOptions(signal)));
  if (found?.metadata?.uid === uid) return false;
  c.lateContents.expect(uid);
  return true;
}

type Annotated = Cached & { readonly metadata: { readonly annotations?: Readonly<Record<string, string | undefined>> } };

/** Deletes a content whose snapshot nobody wants. csi-snapshotter has to know that, by the annotation, before the content is deleted. */
export async function deleteLateContent<T extends KubeObject, P extends Annotated>(
  c: LateContext,
  target: PatchTarget<T, P>,
  content: P,
  beingDeleted: string,
  signal: AbortSignal,
): Promise<void> {
  const { name, uid } = content.metadata;
  c.log.info("Deleting a content that was created after its snapshot had gone", { kind: target.resource.kind, content: name });
  await patchNewest(target, content, (newest) => annotationsPatch(newest, { [beingDeleted]: "yes" }), apiCallOptions(signal));
  await ignoreNotFound(c.kube.delete(target.resource, { name }, { ...apiCallOptions(signal), preconditions: { uid } }));
}
