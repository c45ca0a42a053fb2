import { type Handler, keyOf, type Priority } from "@csi-sidecars/kube";
import { claimKey } from "../claim-key.ts";
import { isOwnVolume } from "../claim-volume.ts";
import type { AttributesClass, Claim } from "../fields.ts";
import type { ModifyContext } from "./modify-context.ts";
import { wantedClassName } from "./plan-modify.ts";

/** Enqueues the claim if its volume is the driver's and has, or may have, another class than the claim names. */
export function enqueueModify(c: ModifyContext, claim: Claim, priority: Priority = "normal"): void {
  const volume = c.volumes.get(claim.spec?.volumeName ?? "");
  if (!volume || !isOwnVolume(c.driver, volume) || claim.status?.phase !== "Bound") return;
  const { currentVolumeAttributesClassName: current = "", modifyVolumeStatus } = claim.status;
  const wanted = wantedClassName(claim);
  if (modifyVolumeStatus || (wanted !== "" && wanted !== current)) c.controller.enqueue(claimKey(claim), priority);
}

/**
 * Whether what changed may be a reason to modify. A claim in progress waits for its backoff, whoever writes to it; an event may be older
 * than our own mark.
 */
export function modifyMayBeDue({ claims }: Pick<ModifyContext, "claims">, old: Claim, claim: Claim): boolean {
  const newest = claims.get(keyOf(claim)) ?? claim;
  return wantedClassName(old) !== wantedClassName(claim) || newest.status?.modifyVolumeStatus === undefined;
}

/** A class that is created, perhaps in the place of another one of its name, is looked at by the claims that wait for it. */
export function classHandler({ waiting, controller }: ModifyContext): Handler<AttributesClass> {
  const wake = ({ metadata }: AttributesClass) => {
    for (const claim of waiting.waitingFor(metadata.name)) controller.enqueue(claim);
  };
  return {
    onAdd: wake,
    onUpdate(old, found) {
      if (old.metadata.uid !== found.metadata.uid) wake(found);
    },
  };
}
