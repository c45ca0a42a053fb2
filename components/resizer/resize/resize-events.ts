import { bytesOf } from "@csi-sidecars/base";
import { requestedBytes } from "@csi-sidecars/controller";
import { wellKnownAnnotation as annotation, type Priority } from "@csi-sidecars/kube";
import { claimKey } from "../claim-key.ts";
import { expands } from "../claim-volume.ts";
import type { Claim } from "../fields.ts";
import type { ResizeContext } from "./resize-context.ts";

/** Enqueues the claim if its volume is one that the driver expands and there may be something to do for it. */
export function enqueueResize(c: ResizeContext, claim: Claim, priority: Priority = "normal"): void {
  const volume = c.volumes.get(claim.spec?.volumeName ?? "");
  if (!volume || !expands(c.driver, volume, claim)) return;
  const grows = claim.status?.phase === "Bound" && requestedBytes(claim) > capacityBytes(claim);
  const annotated = c.annotatesSize && volume.metadata.annotations?.[annotation.preResizeCapacity] !== undefined;
  if (grows || annotated) c.controller.enqueue(claimKey(claim), priority);
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

function capacityBytes({ status }: Claim): bigint {
  return bytesOf(status?.capacity?.storage);
}
