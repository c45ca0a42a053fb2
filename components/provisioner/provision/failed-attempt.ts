import { apiTimeoutMs } from "@csi-sidecars/controller";
import { done, isAbort, requeueAfter } from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import type { CreateEnd } from "./create-volume.ts";
import { isMarkedInProgress } from "./in-progress-mark.ts";
import { Left } from "./left.ts";
import type { Preparation } from "./preparation.ts";
import { canReschedule, rescheduleClaim } from "./reschedule-claim.ts";
import { unmark } from "./unmark-claim.ts";

/** What becomes of a claim whose volume is not there after an attempt: it is tried again, at rest, or given back to the scheduler. */
export async function failed(
  c: ProvisionerContext,
  preparation: Preparation,
  { kind, error }: Exclude<CreateEnd, { kind: "created" }>,
  signal: AbortSignal,
): Promise<never> {
  const { claim, class: of } = preparation;
  const { uid } = claim.metadata;
  if (kind === "uncertain") c.memory.inProgress.set(uid, preparation);
  else if (kind !== "unchanged") c.memory.inProgress.delete(uid);
  if (kind === "infeasible") {
    c.memory.infeasible.set(uid, { at: c.clock.monotonic(), classUid: of.metadata.uid });
    c.metrics.provisionFailed(claim);
    c.events.infeasible(claim, error.message);
    c.log.error(error, "The driver will not provide the volume", { claim: `${claim.metadata.namespace}/${claim.metadata.name}` });
    await unmark(c, claim, signal);
    throw new Left(c.claimOf(uid) ? requeueAfter(c.settings.infeasibleRestMs) : done);
  }
  report(c, claim, error, signal);
  // A claim that was found with its mark may have a call of an earlier process running: only the driver's word ends that.
  const mayRun = c.memory.inProgress.has(uid) || (kind === "unchanged" && isMarkedInProgress(claim));
  if (!mayRun) await unmark(c, claim, signal);
  if (kind === "reschedule" && c.claimOf(uid) && canReschedule(claim)) await giveBack(c, claim, signal);
  throw error;
}

/** Has the scheduler choose another node. */
export async function giveBack(c: ProvisionerContext, claim: Claim, signal: AbortSignal): Promise<never> {
  await rescheduleClaim(c.kube, claim, { signal, timeoutMs: apiTimeoutMs });
  c.memory.nodeProblems.delete(claim.metadata.uid);
  throw new Left();
}

/** Tells the claim's user what went wrong. Work that nobody wants any more has no error. */
export function report(c: ProvisionerContext, claim: Claim, error: Error, signal: AbortSignal): void {
  if (signal.aborted || isAbort(error)) return;
  c.metrics.provisionFailed(claim);
  c.events.failed(claim, error.message);
}
