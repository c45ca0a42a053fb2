import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions } from "@csi-sidecars/controller";
import { ignoreNotFound, metadataOnly, PersistentVolume } from "@csi-sidecars/kube";
import { messages } from "../messages.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { provisionerSecrets } from "../secrets.ts";
import { volumeWithHandle } from "../volume/volume-handle.ts";
import type { CreateFailure, ProvisionRequest } from "./provision-request.ts";

const attempts = 5;

/** Deletes a volume that is not what was asked for. As long as that fails, the claim is in progress and the next attempt finds it again. */
export async function cleanupVolume(
  c: ProvisionerContext,
  { volumeId, error }: { readonly volumeId: string | undefined; readonly error: string },
  { migrated, volumeName }: ProvisionRequest,
  secrets: Record<string, string>,
  signal: AbortSignal,
): Promise<CreateFailure> {
  // There may be a volume, which only the next response to the same request names.
  if (volumeId === undefined) return { kind: "uncertain", error: new Error(error) };
  const user = volumeWithHandle(c.volumes.list(), c.driver.name, volumeId);
  if (user !== undefined) {
    return { kind: "final", error: new Error(`${error}. Volume ${volumeId} is kept: PersistentVolume ${user} uses it`) };
  }
  const deadline = c.clock.monotonic() + c.settings.timeoutMs;
  let problem: unknown;
  for (let attempt = 0; attempt < attempts && c.clock.monotonic() < deadline; attempt++) {
    try {
      const timeoutMs = deadline - c.clock.monotonic();
      await c.csiController.deleteVolume({ volumeId, secrets }, { timeoutMs, signal, migrated });
      return { kind: "final", error: new Error(error) };
    } catch (thrown) {
      problem = thrown;
    }
  }
  const text = `${error}. Cleanup of volume ${volumeName} failed, volume is orphaned: ${messageOf(problem)}`;
  return { kind: "uncertain", error: new Error(text, { cause: problem }) };
}

/** Deletes a volume that is as it should be, but whose PersistentVolume the API server finds invalid. */
export async function cleanupUnsavable(
  c: ProvisionerContext,
  request: ProvisionRequest,
  { volumeId, refusal }: { readonly volumeId: string; readonly refusal: Error },
  signal: AbortSignal,
): Promise<CreateFailure> {
  const error = messages.volumeRejected(refusal.message);
  try {
    // A process before this one may have saved it, when the API server still took it; the cache need not show that yet.
    if (await isSaved(c, request, signal)) return { kind: "uncertain", error: new Error(error) };
    const secrets = await provisionerSecrets(c.kube, request.secrets, apiCallOptions(signal));
    return await cleanupVolume(c, { volumeId, error }, request, secrets, signal);
  } catch (cause) {
    return { kind: "uncertain", error: new Error(error, { cause }) };
  }
}

async function isSaved(c: ProvisionerContext, { volumeName: name }: ProvisionRequest, signal: AbortSignal): Promise<boolean> {
  const found = await ignoreNotFound(c.kube.get(metadataOnly(PersistentVolume), { name }, apiCallOptions(signal)));
  return found !== undefined;
}
