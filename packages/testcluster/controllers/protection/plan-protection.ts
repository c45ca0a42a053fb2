import { finalizer } from "../annotations.ts";
import type { Claim, ClusterPod, Volume } from "../fields.ts";

/** Whether the protection finalizer is added or removed. */
export type ProtectionPlan = { readonly step: "none" } | { readonly step: "protect" | "release"; readonly finalizers: readonly string[] };

/** A claim is released when no pod on a node uses it. Finished pods count: their kubelet may still use the volume. */
export function planClaimProtection(claim: Claim, pods: readonly ClusterPod[]): ProtectionPlan {
  return planProtection(claim, finalizer.claimProtection, () => pods.some((pod) => usesForDeletion(pod, claim)));
}

/** A volume is released when it is not bound. */
export function planVolumeProtection(volume: Volume): ProtectionPlan {
  return planProtection(volume, finalizer.volumeProtection, () => volume.status?.phase === "Bound");
}

/** Pods without a node do not count: no kubelet starts them with a claim that is being deleted. */
function usesForDeletion(pod: ClusterPod, claim: Claim): boolean {
  const { name, namespace } = claim.metadata;
  if (!pod.spec?.nodeName || pod.metadata.namespace !== namespace) return false;
  const shutDown = pod.metadata.deletionTimestamp !== undefined && pod.metadata.deletionGracePeriodSeconds === 0;
  return (pod.spec.volumes ?? []).some(
    (volume) =>
      volume.persistentVolumeClaim?.claimName === name || (!shutDown && volume.ephemeral && `${pod.metadata.name}-${volume.name}` === name),
  );
}

function planProtection({ metadata }: Claim | Volume, name: string, inUse: () => boolean): ProtectionPlan {
  const finalizers = metadata.finalizers ?? [];
  const has = finalizers.includes(name);
  if (metadata.deletionTimestamp === undefined) return has ? { step: "none" } : { step: "protect", finalizers: [...finalizers, name] };
  return has && !inUse() ? { step: "release", finalizers: finalizers.filter((it) => it !== name) } : { step: "none" };
}
