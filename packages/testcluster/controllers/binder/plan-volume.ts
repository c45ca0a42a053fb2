import { annotation } from "../annotations.ts";
import type { Claim, Volume } from "../fields.ts";
import { type BinderPlan, nothing, type PlannedPatch, phasePatch } from "./binder-plan.ts";
import { volumeModesDiffer } from "./match-volume.ts";

/**
 * The phase of a volume. `claim` is the one that `claimRef` names, whatever its uid; binding is planned from the claim's
 * side.
 */
export function planVolume(volume: Volume, claim: Claim | undefined): BinderPlan {
  const ref = volume.spec?.claimRef;
  if (!ref?.uid) return only(phasePatch(volume, "Available"));
  if (!claim || claim.metadata.uid !== ref.uid) return release(volume);
  if (!claim.spec?.volumeName) return volumeModesDiffer(claim, volume) ? mismatch(volume, claim) : nothing;
  if (claim.spec.volumeName === volume.metadata.name) return only(phasePatch(volume, "Bound"));
  const madeForClaim = volume.metadata.annotations?.[annotation.provisionedBy] !== undefined;
  return madeForClaim && volume.spec?.persistentVolumeReclaimPolicy === "Delete" ? release(volume) : unbind(volume);
}

const only = (patches: readonly PlannedPatch[]): BinderPlan => ({ patches, events: [] });

/** The claim is gone. The external provisioner deletes a provisioned volume once it is Released. */
function release(volume: Volume): BinderPlan {
  const phase = volume.status?.phase;
  const released = phase === "Released" || phase === "Failed" ? [] : phasePatch(volume, "Released");
  if (volume.spec?.persistentVolumeReclaimPolicy !== "Recycle" || phase === "Failed") return only(released);
  const message = "No recycler plugin found for the volume!";
  return {
    patches: [{ target: "volume", part: "status", patch: { status: { phase: "Failed", message } } }],
    events: [{ about: "volume", type: "Warning", reason: "VolumeFailedRecycle", message }],
  };
}

/** The claim is bound to another volume: a volume that the binder bound becomes free, one that a user reserved stays reserved. */
function unbind(volume: Volume): BinderPlan {
  const ours = volume.metadata.annotations?.[annotation.boundByController] !== undefined;
  const patch = ours
    ? { metadata: { annotations: { [annotation.boundByController]: null } }, spec: { claimRef: null } }
    : { spec: { claimRef: { uid: null } } };
  return only([{ target: "volume", part: "object", patch }, ...phasePatch(volume, "Available")]);
}

function mismatch({ metadata }: Volume, claim: Claim): BinderPlan {
  const event = { type: "Warning", reason: "VolumeMismatch" } as const;
  return {
    patches: [],
    events: [
      {
        ...event,
        about: "volume",
        message: `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" due to incompatible volumeMode.`,
      },
      {
        ...event,
        about: "claim",
        message: `Cannot bind PersistentVolume "${metadata.name}" to requested PersistentVolumeClaim due to incompatible volumeMode.`,
      },
    ],
  };
}
