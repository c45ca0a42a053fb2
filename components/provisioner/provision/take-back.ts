import { messageOf } from "@csi-sidecars/base";
import { apiTimeoutMs } from "@csi-sidecars/controller";
import { isNotFound, metadataOnly, PersistentVolume } from "@csi-sidecars/kube";
import { messages } from "../messages.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { provisionerSecrets } from "../secret/secrets.ts";
import type { CreateEnd } from "./create-volume.ts";
import { ownerOf } from "./deleted-claims.ts";
import type { Preparation } from "./preparation.ts";

const cleanUpTries = 5;

/** A volume that is not what was asked for must not stay. As long as it does, the claim is in progress and the next attempt meets it again. */
export async function takeBack(
  c: ProvisionerContext,
  { volumeId, error }: { readonly volumeId: string | undefined; readonly error: string },
  { migrated, volumeName }: Preparation,
  secrets: Record<string, string>,
  signal: AbortSignal,
): Promise<Exclude<CreateEnd, { kind: "created" }>> {
  // There may be a volume that only the next answer to the same request names.
  if (volumeId === undefined) return { kind: "uncertain", error: new Error(error) };
  const owner = ownerOf(c.volumes.list(), c.driver.name, volumeId);
  if (owner !== undefined)
    return { kind: "final", error: new Error(`${error}. Volume ${volumeId} stays: PersistentVolume ${owner} has it`) };
  const deadline = c.clock.monotonic() + c.settings.timeoutMs;
  let problem: unknown;
  for (let tries = 0; tries < cleanUpTries && c.clock.monotonic() < deadline; tries++) {
    try {
      const timeoutMs = deadline - c.clock.monotonic();
      await c.controller.deleteVolume({ volumeId, secrets }, { timeoutMs, signal, migrated });
      return { kind: "final", error: new Error(error) };
    } catch (thrown) {
      problem = thrown;
    }
  }
  const text = `${error}. Cleanup of volume ${volumeName} failed, volume is orphaned: ${messageOf(problem)}`;
  return { kind: "uncertain", error: new Error(text, { cause: problem }) };
}

/** Takes back a volume that is as it should be, but whose object the API server will never take. */
export async function takeBackUnsaved(
  c: ProvisionerContext,
  preparation: Preparation,
  { volumeId, refusal }: { readonly volumeId: string; readonly refusal: Error },
  signal: AbortSignal,
): Promise<Exclude<CreateEnd, { kind: "created" }>> {
  const error = messages.volumeRejected(refusal.message);
  try {
    // A process before this one may have saved it, when the API server still took it; the cache need not show that yet.
    if (await isSaved(c, preparation, signal)) return { kind: "uncertain", error: new Error(error) };
    const secrets = await provisionerSecrets(c.kube, preparation.secrets, { signal, timeoutMs: apiTimeoutMs });
    return await takeBack(c, { volumeId, error }, preparation, secrets, signal);
  } catch (cause) {
    return { kind: "uncertain", error: new Error(error, { cause }) };
  }
}

async function isSaved(c: ProvisionerContext, { volumeName: name }: Preparation, signal: AbortSignal): Promise<boolean> {
  try {
    await c.kube.get(metadataOnly(PersistentVolume), { name }, { signal, timeoutMs: apiTimeoutMs });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
