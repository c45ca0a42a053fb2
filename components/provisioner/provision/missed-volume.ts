import { apiTimeoutMs } from "@csi-sidecars/controller";
import { isNotFound, type KubeObject, PersistentVolume, PersistentVolumeClaim, type Resource } from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";

/**
 * Whether a volume that was saved, and that no watch has shown yet, is gone although its claim waits for it: it came and went while the
 * watch was interrupted. Almost always the watch is only behind, so the API server is asked; a claim that is gone itself, or bound, will
 * be told of.
 */
export async function isVolumeMissed(c: ProvisionerContext, claim: Claim, volume: string, signal: AbortSignal): Promise<boolean> {
  const { name, namespace, uid } = claim.metadata;
  const read = <T extends KubeObject>(resource: Resource<T>, ref: { name: string; namespace?: string }) =>
    c.kube.get(resource, ref, { signal, timeoutMs: apiTimeoutMs }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  if (await read(PersistentVolume, { name: volume })) return false;
  const fresh = await read(PersistentVolumeClaim, { name, ...(namespace && { namespace }) });
  return fresh?.metadata?.uid === uid && !fresh?.spec?.volumeName;
}
