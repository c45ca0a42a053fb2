import { annotationsPatch, hasFinalizer } from "@csi-sidecars/controller";
import { mergePatch, type Patch } from "@csi-sidecars/kube";

/** A content of either kind. */
interface MarkedContent {
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string | undefined>>;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
}

/**
 * Marks a content whose snapshot the driver is to take, and has it wait for us when it is deleted. Upstream's snapshot-controller adds the finalizer
 * some time after it has created the content: one that is deleted before that would be gone while the driver takes a snapshot.
 */
export function markPatch(content: MarkedContent, annotation: string, finalizer: string): Patch | undefined {
  const mark = { [annotation]: "yes" };
  const { uid, resourceVersion, finalizers = [], deletionTimestamp } = content.metadata;
  if (deletionTimestamp !== undefined || hasFinalizer(content, finalizer)) return annotationsPatch(content, mark);
  // The version: the patch replaces the list of finalizers.
  return mergePatch({ metadata: { uid, resourceVersion, annotations: mark, finalizers: [...finalizers, finalizer] } });
}
