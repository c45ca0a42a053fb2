import type { Key } from "@csi-sidecars/kube";
import type { ClusterPod } from "./fields.ts";

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
