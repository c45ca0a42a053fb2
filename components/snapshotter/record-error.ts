import { apiCallOptions, type PatchTarget, patchNewest, statusPatch, truncateMessage } from "@csi-sidecars/controller";
import { type Cached, type KubeObject, metav1Time } from "@csi-sidecars/kube";
import type { SnapshotterContext } from "./snapshotter-context.ts";

/** A driver's error may have 64 KiB; what helps a reader is at its beginning. */
const maxMessageBytes = 16 * 1024;

interface ContentStatus {
  readonly readyToUse?: boolean;
  readonly error?: { readonly time?: string; readonly message?: string };
}

/** A content of either kind. */
export interface FailedContent extends Cached {
  readonly status?: ContentStatus;
}

/**
 * Writes into the content why it is not ready, and emits an event: once for each text, so a driver that fails in the same way for ever writes
 * nothing more. The event is emitted even if the content cannot be written. Returns the content as it is then.
 */
export async function recordError<T extends KubeObject, P extends FailedContent>(
  { clock, log }: Pick<SnapshotterContext, "clock" | "log">,
  target: PatchTarget<T, P>,
  content: P,
  failure: { readonly message: string; emit(content: P, message: string): void },
  signal: AbortSignal,
): Promise<P> {
  const message = truncateMessage(failure.message, maxMessageBytes);
  if (hasError(content, message)) return content;
  const time = metav1Time(clock.now());
  const plan = (newest: P) =>
    hasError(newest, message) ? undefined : statusPatch<ContentStatus>(newest, { readyToUse: false, error: { time, message } });
  const options = { ...apiCallOptions(signal), subresource: "status" } as const;
  const written = await patchNewest(target, content, plan, options).catch((error: unknown) => {
    if (!signal.aborted) log.error(error, "Failed to write the error into the content", { content: content.metadata.name });
    return undefined;
  });
  failure.emit(written ?? content, message);
  return written ?? content;
}

function hasError({ status }: FailedContent, message: string): boolean {
  return status?.error?.message === message;
}
