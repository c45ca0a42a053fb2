import type { Claim, ClusterPod } from "../fields.ts";

/** The claims that a pod's generic ephemeral volumes stand for, by name. */
export function ephemeralClaims({ metadata, spec }: ClusterPod) {
  return (spec?.volumes ?? []).flatMap(({ name, ephemeral }) => (ephemeral ? [{ name: `${metadata.name}-${name}`, ephemeral }] : []));
}

/** Whether the claim was made for the pod: one that only has the right name is somebody else's data. */
export const belongsTo = (claim: Claim, pod: ClusterPod): boolean =>
  (claim.metadata.ownerReferences ?? []).some(({ uid, controller }) => controller === true && uid === pod.metadata.uid);
