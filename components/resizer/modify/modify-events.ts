import type { Priority } from "@csi-sidecars/kube";
import { claimKey } from "../claim-key.ts";
import { isOwnVolume } from "../claim-volume.ts";
import type { Claim } from "../fields.ts";
import type { ModifyContext } from "./modify-context.ts";

/** Enqueues the claim if its volume is the driver's and has, or may have, another class than the claim names. */
export function enqueueModify(c: ModifyContext, claim: Claim, priority: Priority = "normal"): void {
  const volume = c.volumes.get(claim.spec?.volumeName ?? "");
  if (!volume || !isOwnVolume(c.driver, volume) || claim.status?.phase !== "Bound") return;
  const { currentVolumeAttributesClassName: current = "", modifyVolumeStatus } = claim.status;
  if (modifyVolumeStatus || (claim.spec?.volumeAttributesClassName ?? "") !== current) c.controller.enqueue(claimKey(claim), priority);
}

/** Whether what changed may be a reason to modify. */
export function modifyMayBeDue(old: Claim, claim: Claim): boolean {
  const nameChanged = (old.spec?.volumeAttributesClassName ?? "") !== (claim.spec?.volumeAttributesClassName ?? "");
  return nameChanged || claim.status?.modifyVolumeStatus === undefined;
}
