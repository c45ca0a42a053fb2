import { requestedBytes } from "@csi-sidecars/controller";
import { wellKnownAnnotation as annotation, type Priority } from "@csi-sidecars/kube";
import { claimKey } from "../claim-key.ts";
import { expands } from "../claim-volume.ts";
import type { Claim } from "../fields.ts";
import { capacityBytes, isTooSmall } from "./plan-resize.ts";
import type { ResizeContext } from "./resize-context.ts";

/**
 * Enqueues the claim if its volume is one that the driver expands and there may be something to do for it. With a low priority nothing
 * has changed: then a claim that failed keeps waiting for its backoff.
 */
export function enqueueResize(c: ResizeContext, claim: Claim, priority: Priority = "normal"): void {
  const volume = c.volumes.get(claim.spec?.volumeName ?? "");
  if (!volume || !expands(c.driver, volume, claim)) return;
  const key = claimKey(claim);
  if (priority === "low" && c.controller.queue.numRequeues(key) > 0) return;
  const isNoted = c.annotatesSize && volume.metadata.annotations?.[annotation.preResizeCapacity] !== undefined;
  if (isTooSmall(claim) || isNoted) c.controller.enqueue(key, priority);
}

/** Whether what changed may be a reason to expand. */
export function resizeMayBeDue({ recovers }: Pick<ResizeContext, "recovers">, old: Claim, claim: Claim): boolean {
  const [before, now] = [requestedBytes(old), requestedBytes(claim)];
  return (
    (recovers ? now !== before : now > before) ||
    old.metadata.annotations?.[annotation.storageResizer] !== claim.metadata.annotations?.[annotation.storageResizer] ||
    capacityBytes(claim) > capacityBytes(old) ||
    (recovers && old.status?.allocatedResourceStatuses?.storage !== claim.status?.allocatedResourceStatuses?.storage)
  );
}
