import { messageOf } from "@csi-sidecars/base";
import { apiCallOptions, isLasting } from "@csi-sidecars/controller";
import { ignoreNotFound, isAbort, isConflict, PersistentVolume, strategicMergePatch, TransportError } from "@csi-sidecars/kube";
import { claimKey } from "../claim-key.ts";
import type { Claim, Volume } from "../fields.ts";
import { messages } from "../messages.ts";
import { writeClaim } from "../write-claim.ts";
import type { ModifyContext } from "./modify-context.ts";
import type { Answer } from "./modify-state.ts";
import { completed, failed } from "./modify-status.ts";

/** What the driver answered for a claim. */
interface AnsweredClaim {
  readonly claim: Claim;
  readonly volume: Volume;
  readonly answer: Answer;
}

/**
 * Writes what the driver answered into volume and claim. The answer is kept until that is done: a write that fails is retried, not
 * the call. Returns the claim as it is then; `undefined` if it is gone.
 */
export async function saveAnswer(c: ModifyContext, answered: AnsweredClaim, signal: AbortSignal): Promise<Claim | undefined> {
  const { claim, volume, answer } = answered;
  let written: Claim | undefined;
  try {
    // The volume first: once the claim is complete, nobody would look at the volume again.
    if (answer.outcome === "modified") await saveClass(c, volume, answer.className, signal);
    written = await writeClaim(c, claim, (newest) => answeredStatus(newest, answer, c.clock.now()), signal);
  } catch (error) {
    saveFailed(c, answered, error);
    throw error;
  }
  c.state.saved(claimKey(claim));
  if (written) report(c, written, answer);
  return written;
}

/** A volume that is gone needs no class, and another one of its name is not meant. */
async function saveClass({ kube, volumes }: ModifyContext, volume: Volume, className: string, signal: AbortSignal): Promise<void> {
  const { name, uid } = volume.metadata;
  if (volumes.get(name)?.spec?.volumeAttributesClassName === className) return;
  const patch = strategicMergePatch({ metadata: { uid }, spec: { volumeAttributesClassName: className } });
  await ignoreNotFound(volumes.write(name, () => kube.patch(PersistentVolume, { name }, patch, apiCallOptions(signal))));
}

function answeredStatus(claim: Claim, answer: Answer, now: number) {
  return answer.outcome === "modified" ? completed(claim, answer.className) : failed(claim, answer, now);
}

function report({ events }: ModifyContext, claim: Claim, answer: Answer): void {
  const { className } = answer;
  if (answer.outcome === "modified") events.modified(claim, messages.modified(claim.metadata.name, className));
  else events.modifyFailed(claim, answer.uncertain ? messages.stillModifying(answer.error.message, className) : answer.error.message);
}

/** Warns when a volume that is modified cannot be saved for long. A conflict is no failure, and without an API server nobody can be told. */
function saveFailed(c: ModifyContext, { claim, answer }: AnsweredClaim, error: unknown): void {
  const now = c.clock.monotonic();
  const failure = c.state.saveFailed(claimKey(claim), now);
  const isReportable = !(error instanceof TransportError) && !isAbort(error) && !isConflict(error);
  if (answer.outcome !== "modified" || !isReportable || !isLasting(failure, now)) return;
  c.events.modifyFailed(claim, messages.modifiedUnsaved(answer.className, messageOf(error)));
}
