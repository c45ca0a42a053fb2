import { isDeepStrictEqual } from "node:util";
import type { Attachment } from "./fields.ts";

/**
 * Whether a changed attachment deserves a look. A change of nothing but its errors was made by an attacher that failed and has its
 * own time to try again: looking at once would turn every failure into a tight loop.
 */
export function shouldEnqueue(old: Attachment, attachment: Attachment): boolean {
  if (old.metadata.resourceVersion === attachment.metadata.resourceVersion) return true;
  if (!hasError(old) && !hasError(attachment)) return true;
  return !isDeepStrictEqual(withoutErrors(old), withoutErrors(attachment));
}

function hasError({ status }: Attachment): boolean {
  return Boolean(status?.attachError || status?.detachError);
}

/** All that is read of an attachment, but for its errors; the cache may hold what other readers want to know. */
function withoutErrors({ metadata, spec, status }: Attachment) {
  const { uid, finalizers = [], annotations = {}, deletionTimestamp } = metadata;
  const { attached = false, attachmentMetadata = {} } = status ?? {};
  return { uid, finalizers, annotations, deletionTimestamp, spec, attached, attachmentMetadata };
}
