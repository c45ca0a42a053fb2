import { messageOf } from "@csi-sidecars/base";
import { GrpcError } from "@csi-sidecars/csi";
import { isNotLeading } from "@csi-sidecars/host";
import { isNotFound, type Patch, VolumeAttachment } from "@csi-sidecars/kube";
import { type AttacherContext, apiTimeoutMs } from "./attacher-context.ts";
import type { Attachment } from "./fields.ts";
import { attachErrorPatch, detachErrorPatch } from "./patches.ts";

/** Writes to an attachment, or with `status` to its status, and answers what it is now. */
export function patchAttachment(
  c: AttacherContext,
  { metadata: { name } }: Attachment,
  patch: Patch,
  options: { readonly signal: AbortSignal; readonly subresource?: "status" },
): Promise<Attachment> {
  return c.attachments.write(name, () => c.kube.patch(VolumeAttachment, { name }, patch, { ...options, timeoutMs: apiTimeoutMs }));
}

/** Tells the user why the attachment is not attached yet. */
export function saveAttachError(c: AttacherContext, attachment: Attachment, error: Error, signal: AbortSignal): Promise<void> {
  const code = c.errorCodes && error instanceof GrpcError ? error.code : undefined;
  return save(c, attachment, error, attachErrorPatch(attachment, error.message, c.clock.now(), code), signal);
}

/** Tells the user why the attachment is still there. */
export function saveDetachError(c: AttacherContext, attachment: Attachment, error: Error, signal: AbortSignal): Promise<void> {
  return save(c, attachment, error, detachErrorPatch(attachment, error.message, c.clock.now()), signal);
}

/** The error itself is retried, so failing to write it down is only logged. Work that nobody wants any more has no error. */
async function save(c: AttacherContext, attachment: Attachment, reason: Error, patch: Patch, signal: AbortSignal): Promise<void> {
  if (signal.aborted || isNotLeading(reason) || isNotLeading(reason.cause)) return;
  try {
    await patchAttachment(c, attachment, patch, { signal, subresource: "status" });
  } catch (error) {
    if (!isNotFound(error)) c.log.error(error, "Could not save the error in the VolumeAttachment", { name: attachment.metadata.name });
  }
}

/** The error with what was being done in front of its text; what it was caused by stays known. */
export function whileDoing(what: string, cause: unknown): Error {
  return new Error(`${what}: ${messageOf(cause)}`, { cause });
}
