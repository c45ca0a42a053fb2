import { Pod, type V1PersistentVolumeClaim, type V1Pod } from "@csi-sidecars/kube";
import { filterFound, type Lookup } from "../../access/read-cluster.ts";
import type { GatherContext } from "./context.ts";

/** Pods that use a claim and have not ended. */
export async function podsThatUse(
  { cluster }: GatherContext,
  { metadata }: Pick<V1PersistentVolumeClaim, "metadata">,
): Promise<Lookup<readonly V1Pod[]>> {
  const { namespace, name = "" } = metadata ?? {};
  const pods = await cluster.list(Pod, { ...(namespace && { namespace }) });
  return filterFound(pods, (pod) => claimsOf(pod).includes(name) && pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed");
}

/** The claims of a pod; one of an ephemeral volume is named after the pod and the volume. */
export function claimsOf({ spec, metadata }: V1Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim) return [persistentVolumeClaim.claimName];
    return ephemeral ? [`${metadata?.name}-${name}`] : [];
  });
}
