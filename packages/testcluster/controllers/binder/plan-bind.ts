import { annotation } from "../annotations.ts";
import type { Claim, Volume } from "../fields.ts";
import { type BinderPlan, type PlannedPatch, phasePatch, planBoundStatus } from "./binder-plan.ts";
import { isBoundTo } from "./match-volume.ts";

/** Binds both to each other, the volume first. Parts that are done are skipped, so that an interrupted bind is completed. */
export function planBind(volume: Volume, claim: Claim): BinderPlan {
  return {
    volume,
    patches: [
      ...claimVolume(volume, claim),
      ...phasePatch(volume, "Bound"),
      ...bindClaim(claim, volume),
      ...planBoundStatus(claim, volume),
    ],
    events: [],
  };
}

/** The volume's side of a bind, which is all that the scheduler does. */
export function claimVolume(volume: Volume, claim: Claim): PlannedPatch[] {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  if (isBoundTo(volume, claim) && volume.spec?.claimRef?.uid === uid) return [];
  const reserved = isBoundTo(volume, claim) || volume.metadata.annotations?.[annotation.boundByController] !== undefined;
  const patch = {
    ...(!reserved && { metadata: { annotations: { [annotation.boundByController]: "yes" } } }),
    spec: { claimRef: { kind: "PersistentVolumeClaim", apiVersion: "v1", namespace, name, uid, resourceVersion } },
  };
  return [{ target: "volume", part: "object", patch }];
}

function bindClaim({ metadata, spec }: Claim, volume: Volume): PlannedPatch[] {
  const name = volume.metadata.name;
  const present = metadata.annotations ?? {};
  const annotations = {
    ...(spec?.volumeName !== name && !present[annotation.boundByController] && { [annotation.boundByController]: "yes" }),
    ...(present[annotation.bindCompleted] === undefined && { [annotation.bindCompleted]: "yes" }),
  };
  const patch = {
    ...(Object.keys(annotations).length > 0 && { metadata: { annotations } }),
    ...(spec?.volumeName !== name && { spec: { volumeName: name } }),
  };
  return Object.keys(patch).length === 0 ? [] : [{ target: "claim", part: "object", patch }];
}
