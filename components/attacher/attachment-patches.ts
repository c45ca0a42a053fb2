import { apiCallOptions, finalizerPatchMetadata, hasFinalizer, truncateMessage } from "@csi-sidecars/controller";
import { GrpcError } from "@csi-sidecars/csi";
import { isNotLeading } from "@csi-sidecars/host";
import {
  wellKnownAnnotation as annotation,
  isAbort,
  isNotFound,
  mergePatch,
  metav1Time,
  type Patch,
  strategicMergePatch,
  VolumeAttachment,
} from "@csi-sidecars/kube";
import type { AttacherContext } from "./attacher-context.ts";
import type { Attachment } from "./fields.ts";

/*
 * All patches name the object's uid: names of attachments are reused, and what was decided for one attachment must never be written to
 * its successor.
 */

/** The finalizer and node ID that must be stored before the driver may attach; `undefined` when they are. */
export function preparePatch(attachment: Attachment, finalizer: string, nodeId: string): Patch | undefined {
  const { uid, annotations } = attachment.metadata;
  const changes = {
    ...(!hasFinalizer(attachment, finalizer) && finalizerPatchMetadata(attachment, finalizer)),
    ...(annotations?.[annotation.nodeId] !== nodeId && { annotations: { [annotation.nodeId]: nodeId } }),
  };
  return Object.keys(changes).length === 0 ? undefined : strategicMergePatch({ metadata: { uid, ...changes } });
}

/** Of the status, as all that follow. */
export function attachedPatch({ metadata, status }: Attachment, publishContext: Readonly<Record<string, string>>): Patch {
  const stale = Object.keys(status?.attachmentMetadata ?? {}).filter((key) => !Object.hasOwn(publishContext, key));
  const empty = Object.keys(publishContext).length === 0;
  const attachmentMetadata = empty ? null : { ...Object.fromEntries(stale.map((key) => [key, null])), ...publishContext };
  return mergePatch({ metadata: { uid: metadata.uid }, status: { attached: true, attachError: null, attachmentMetadata } });
}

export function detachedPatch({ metadata }: Attachment): Patch {
  return mergePatch({ metadata: { uid: metadata.uid }, status: { attached: false, attachmentMetadata: null, detachError: null } });
}

/** `errorCode` is the driver's gRPC code; without one an older code is removed. */
export function attachErrorPatch({ metadata }: Attachment, message: string, now: number, errorCode: number | undefined): Patch {
  const attachError = { ...volumeError(message, now), errorCode: errorCode ?? null };
  return mergePatch({ metadata: { uid: metadata.uid }, status: { attachError } });
}

export function detachErrorPatch({ metadata }: Attachment, message: string, now: number): Patch {
  return mergePatch({ metadata: { uid: metadata.uid }, status: { detachError: volumeError(message, now) } });
}

function volumeError(message: string, now: number): { readonly message: string; readonly time: string } {
  return { message: truncateMessage(message), time: metav1Time(now) };
}

type PatchContext = Pick<AttacherContext, "kube" | "attachments">;
type ErrorContext = PatchContext & Pick<AttacherContext, "clock" | "errorCodes" | "log">;

/** Patches an attachment or its status. Returns it as it is now. */
export function patchAttachment(
  c: PatchContext,
  { metadata: { name } }: Attachment,
  patch: Patch,
  options: { readonly signal: AbortSignal; readonly subresource?: "status" },
): Promise<Attachment> {
  return c.attachments.write(name, () =>
    c.kube.patch(VolumeAttachment, { name }, patch, { ...options, ...apiCallOptions(options.signal) }),
  );
}

/** Tells the user why the attachment is not attached yet. */
export function saveAttachError(c: ErrorContext, attachment: Attachment, error: Error, signal: AbortSignal): Promise<void> {
  const code = c.errorCodes && error instanceof GrpcError ? error.code : undefined;
  return saveError(c, attachment, error, attachErrorPatch(attachment, error.message, c.clock.now(), code), signal);
}

/** Tells the user why the attachment is still there. */
export function saveDetachError(c: ErrorContext, attachment: Attachment, error: Error, signal: AbortSignal): Promise<void> {
  return saveError(c, attachment, error, detachErrorPatch(attachment, error.message, c.clock.now()), signal);
}

/** A failure to save the error is only logged, as the operation is retried anyway. After a stop or a lost leadership nothing is saved. */
async function saveError(c: ErrorContext, attachment: Attachment, cause: Error, patch: Patch, signal: AbortSignal): Promise<void> {
  if (signal.aborted || isNotLeading(cause)) return;
  try {
    await patchAttachment(c, attachment, patch, { signal, subresource: "status" });
  } catch (error) {
    if (!isNotFound(error) && !isAbort(error))
      c.log.error(error, "Could not save the error in the VolumeAttachment", { name: attachment.metadata.name });
  }
}
