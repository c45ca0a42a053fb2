import { annotationsPatch, apiCallOptions, finalizersPatch, holdingPatch, patchNewest } from "@csi-sidecars/controller";
import { snapshotAnnotation as annotation, snapshotFinalizer } from "@csi-sidecars/kube";
import type { Content } from "../fields.ts";
import type { ContentContext } from "./content-context.ts";

type MarkContext = Pick<ContentContext, "target">;

/**
 * Says in the content that the driver may be taking its snapshot, and has it wait for us when it is deleted: upstream's snapshot-controller adds the
 * finalizer some time after it has created the content. Returns the content as it is then; `undefined` if it is gone.
 */
export function mark({ target }: MarkContext, content: Content, signal: AbortSignal): Promise<Content | undefined> {
  const plan = (newest: Content) => holdingPatch(newest, snapshotFinalizer.content, { [annotation.beingCreated]: "yes" });
  return patchNewest(target, content, plan, apiCallOptions(signal));
}

/** Says that the driver is not taking its snapshot any more. */
export function unmark({ target }: MarkContext, content: Content, signal: AbortSignal): Promise<Content | undefined> {
  return patchNewest(target, content, (newest) => annotationsPatch(newest, { [annotation.beingCreated]: null }), apiCallOptions(signal));
}

/** Lets a content go that is being deleted. */
export async function release({ target }: MarkContext, content: Content, signal: AbortSignal): Promise<void> {
  await patchNewest(target, content, (newest) => finalizersPatch(newest, { remove: [snapshotFinalizer.content] }), apiCallOptions(signal));
}
