import { parseQuantity } from "@csi-sidecars/base";
import type { Key } from "@csi-sidecars/kube";
import { annotation } from "./annotations.ts";
import type { Claim, Class, ClusterPod } from "./fields.ts";

/** The keys of the claims a pod uses, those of its generic ephemeral volumes included. */
export function claimsOfPod(pod: ClusterPod): readonly Key[] {
  const { namespace, name } = pod.metadata;
  const keys: Key[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    if (volume.persistentVolumeClaim) keys.push(`${namespace}/${volume.persistentVolumeClaim.claimName}`);
    else if (volume.ephemeral) keys.push(`${namespace}/${name}-${volume.name}`);
  }
  return keys;
}

/** Finished, or being deleted with no container left that could run: its volumes are free. */
export function isTerminated({ metadata, status }: ClusterPod): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
  if (metadata.deletionTimestamp === undefined) return false;
  const containers = [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  return containers.every(({ state }) => state?.terminated !== undefined || state?.waiting !== undefined);
}

/** The claims that a pod's generic ephemeral volumes stand for, by name. */
export function ephemeralClaims({ metadata, spec }: ClusterPod) {
  return (spec?.volumes ?? []).flatMap(({ name, ephemeral }) => (ephemeral ? [{ name: `${metadata.name}-${name}`, ephemeral }] : []));
}

/** Whether the claim was created for the pod: one that only has the right name holds other data. */
export const belongsTo = (claim: Claim, pod: ClusterPod): boolean =>
  (claim.metadata.ownerReferences ?? []).some(({ uid, controller }) => controller === true && uid === pod.metadata.uid);

/** Whether a claim names a class, even if it is the empty one. */
export function namesClass(claim: Claim): boolean {
  return claim.metadata.annotations?.[annotation.betaStorageClass] !== undefined || claim.spec?.storageClassName !== undefined;
}

export const bindsLate = (storageClass: Class | undefined): boolean => storageClass?.volumeBindingMode === "WaitForFirstConsumer";

/** The default class: of several the newest, and of those created in the same second the first by name. */
export function defaultClass(classes: readonly Class[]): Class | undefined {
  return classes
    .filter(({ metadata: { annotations } }) =>
      [annotations?.[annotation.isDefaultClass], annotations?.[annotation.isDefaultClassBeta]].includes("true"),
    )
    .sort((a, b) => created(b) - created(a) || (a.metadata.name < b.metadata.name ? -1 : 1))[0];
}

const created = (storageClass: Class): number => Date.parse(storageClass.metadata.creationTimestamp ?? "") || 0;

/** A list of amounts by resource name, as in `spec.capacity` and `resources.requests`. */
type Amounts = Readonly<Record<string, string | number>>;

/** The `storage` of a resource list, exact and comparable; zero when it is not there. */
export function storageSize(amounts: Amounts | undefined): bigint {
  return sizeOf(amounts?.storage);
}

export function sizeOf(quantity: string | number | undefined): bigint {
  return quantity === undefined ? 0n : parseQuantity(quantity).nano;
}
