import { type Key, refKey } from "@csi-sidecars/kube";

/** What tells which claims a pod uses. */
interface PodVolumes {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: {
    readonly volumes?: readonly {
      readonly name: string;
      readonly persistentVolumeClaim?: { readonly claimName: string };
      readonly ephemeral?: object;
    }[];
  };
  readonly status?: { readonly phase?: string };
}

export interface UsedClaim {
  readonly key: Key;
  /** It is made for the pod, which must own it (`ownsClaim`): a claim that only happens to have its name is not used. */
  readonly ephemeral: boolean;
}

interface OwnedClaim {
  readonly metadata: { readonly ownerReferences?: readonly { readonly uid: string }[] };
}

/** The claims that a pod uses. One that has ended uses none. The claim of an ephemeral volume is named after both. */
export function claimsOf({ metadata: { name: pod, namespace }, spec, status }: PodVolumes): readonly UsedClaim[] {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return [];
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    const claim = persistentVolumeClaim?.claimName ?? (ephemeral && `${pod}-${name}`);
    return claim ? [{ key: refKey({ namespace, name: claim }), ephemeral: !persistentVolumeClaim }] : [];
  });
}

/** Whether a claim belongs to a pod, as that of an ephemeral volume does. */
export function ownsClaim(
  pod: { readonly metadata: { readonly uid: string } },
  { metadata: { ownerReferences = [] } }: OwnedClaim,
): boolean {
  return ownerReferences.some(({ uid }) => uid === pod.metadata.uid);
}
