import { asError } from "@csi-sidecars/base";
import { apiTimeoutMs } from "@csi-sidecars/controller";
import { isInvalid } from "@csi-sidecars/kube";
import { sourceKey, sourcesInUse } from "../memory.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { releaseSnapshot } from "../source/protect-source.ts";
import type { CreateEnd } from "./create-volume.ts";
import { failed } from "./failed-attempt.ts";
import type { Preparation, ProtectedSource } from "./preparation.ts";
import { takeBackUnsaved } from "./take-back.ts";
import { unmarkWhenSettled } from "./unmark-claim.ts";

/** Puts the volume on record; what it was filled from, and the claim itself, are not held any longer. */
export async function saveVolume(
  c: ProvisionerContext,
  preparation: Preparation,
  { volume, volumeId }: Extract<CreateEnd, { kind: "created" }>,
  signal: AbortSignal,
): Promise<void> {
  const { claim, source } = preparation;
  const { uid } = claim.metadata;
  c.memory.provisioned.set(uid, preparation.volumeName);
  c.memory.nodeProblems.delete(uid);
  try {
    await c.unsaved.save(volume, signal);
  } catch (error) {
    c.memory.provisioned.delete(uid);
    const refusal = asError(error);
    const invalid = isInvalid(error);
    const end = invalid
      ? await takeBackUnsaved(c, preparation, { volumeId, refusal }, signal)
      : ({ kind: "final", error: refusal } as const);
    return failed(c, preparation, end, signal);
  }
  c.memory.inProgress.delete(uid);
  await unmarkWhenSettled(c, c.claimOf(uid) ?? claim, signal);
  if (source?.kind !== "snapshot" || isRestoredByOthers(c, uid, source)) return;
  await releaseSnapshot(c.kube, source, { signal, timeoutMs: apiTimeoutMs }).catch((error: unknown) => {
    c.log.error(error, "Could not let the restored snapshot go; the sweep will", {
      snapshot: `${source.ref.namespace}/${source.ref.name}`,
    });
  });
}

/** Who is last lets the snapshot go: others that are filled from it must not lose it. */
function isRestoredByOthers(c: ProvisionerContext, uid: string, source: ProtectedSource): boolean {
  const key = sourceKey(source);
  const isFilled = (other: string) => other === uid || c.memory.provisioned.has(other);
  return c.restoresOf(key).some(({ metadata }) => !isFilled(metadata.uid)) || sourcesInUse(c.memory, "snapshot").has(key);
}
