import { truncateMessage } from "@csi-sidecars/controller";
import { mergePatch, type Patch, strategicMergePatch } from "@csi-sidecars/kube";
import type { Attachment, Volume } from "./fields.ts";
import { nodeIdAnnotation } from "./names.ts";

/**
 * Finalizers are changed by strategic merge patches: they name the one finalizer that is ours, so whatever others did to the list
 * since it was cached stays, nothing is added twice and nothing fails because the list moved. All patches name the object's uid:
 * names of attachments are used again, and what was decided for one must never be written to its successor.
 */
export function addFinalizerPatch({ metadata }: Volume, finalizer: string): Patch {
  return strategicMergePatch({ metadata: { uid: metadata.uid, ...added(metadata.finalizers, finalizer) } });
}

export function removeFinalizerPatch({ metadata }: Volume | Attachment, finalizer: string): Patch {
  return strategicMergePatch({ metadata: { uid: metadata.uid, "$deleteFromPrimitiveList/finalizers": [finalizer] } });
}

/** What must be stored before the driver may attach; `undefined` when it is. */
export function preparePatch({ metadata }: Attachment, finalizer: string, nodeId: string): Patch | undefined {
  const finalizers = metadata.finalizers?.includes(finalizer) ? {} : added(metadata.finalizers, finalizer);
  const annotations = metadata.annotations?.[nodeIdAnnotation] === nodeId ? {} : { annotations: { [nodeIdAnnotation]: nodeId } };
  if (Object.keys({ ...finalizers, ...annotations }).length === 0) return undefined;
  return strategicMergePatch({ metadata: { uid: metadata.uid, ...finalizers, ...annotations } });
}

/** To be sent to the status. */
export function attachedPatch({ metadata, status }: Attachment, publishContext: Readonly<Record<string, string>>): Patch {
  const stale = Object.keys(status?.attachmentMetadata ?? {}).filter((key) => !(key in publishContext));
  const empty = Object.keys(publishContext).length === 0;
  const attachmentMetadata = empty ? null : { ...Object.fromEntries(stale.map((key) => [key, null])), ...publishContext };
  return mergePatch({ metadata: { uid: metadata.uid }, status: { attached: true, attachError: null, attachmentMetadata } });
}

/** To be sent to the status. */
export function detachedPatch({ metadata }: Attachment): Patch {
  return mergePatch({ metadata: { uid: metadata.uid }, status: { attached: false, attachmentMetadata: null, detachError: null } });
}

/** To be sent to the status. `errorCode` is the driver's gRPC code; without one an older code goes away. */
export function attachErrorPatch({ metadata }: Attachment, message: string, now: number, errorCode: number | undefined): Patch {
  const attachError = { ...errorOf(message, now), errorCode: errorCode ?? null };
  return mergePatch({ metadata: { uid: metadata.uid }, status: { attachError } });
}

/** To be sent to the status. */
export function detachErrorPatch({ metadata }: Attachment, message: string, now: number): Patch {
  return mergePatch({ metadata: { uid: metadata.uid }, status: { detachError: errorOf(message, now) } });
}

/** The order list makes the new one the last, as everybody expects it. */
function added(known: readonly string[] | undefined, finalizer: string): object {
  return { finalizers: [finalizer], "$setElementOrder/finalizers": [...(known ?? []), finalizer] };
}

function errorOf(message: string, now: number): { readonly message: string; readonly time: string } {
  return { message: truncateMessage(message), time: new Date(now).toISOString().replace(/\.\d+Z$/, "Z") };
}
