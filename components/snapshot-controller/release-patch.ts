import { annotationsPatch, holdingPatch } from "@csi-sidecars/controller";
import type { Patch } from "@csi-sidecars/kube";

type AnyContent = Parameters<typeof holdingPatch>[0] & { readonly spec?: { readonly deletionPolicy?: string } };

/**
 * Tells csi-snapshotter, by the annotation, that nobody wants the snapshot of a content. One that goes with it may have no finalizer yet, as somebody
 * else has bound it or it was bound just now: it would be gone before csi-snapshotter has deleted what is in the storage.
 */
export function releasePatch(content: AnyContent, beingDeleted: string, finalizer: string): Patch | undefined {
  const mark = { [beingDeleted]: "yes" };
  return content.spec?.deletionPolicy === "Delete" ? holdingPatch(content, finalizer, mark) : annotationsPatch(content, mark);
}
