import { messageOf } from "@csi-sidecars/base";
import { blocked, type ReconcileResult } from "@csi-sidecars/controller";
import { claimName } from "../claim-key.ts";
import { messages } from "../messages.ts";
import { writeClaim } from "../write-claim.ts";
import { markRefused } from "./claim-marks.ts";
import type { ExpandFailure } from "./expand-answer.ts";
import type { Resize } from "./plan-resize.ts";
import type { ResizeContext } from "./resize-context.ts";

/** Remembers a failure, tells the user, and has the claim retried: after its backoff, or slowly if its size is infeasible. */
export async function handleExpandFailure(
  c: ResizeContext,
  { key, claim, volume, plan }: Resize,
  failure: ExpandFailure,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const error = new Error(messages.resizeFailed(volume.metadata.name, c.driver.name, failure.message));
  if (signal.aborted) throw error;
  if (failure.kind === "final" && failure.inUse) c.inUse.add(key);
  else if (failure.kind !== "transient") c.inUse.delete(key);
  if (c.recovers) c.state.failed(key, plan.bytes, failure);
  if (!c.recovers || failure.kind !== "final") return fail(c, claim, error);

  const { message, infeasible } = failure;
  try {
    await writeClaim(c, claim, (newest) => markRefused(newest, message, infeasible, c.marks()), signal);
  } catch (problem) {
    if (signal.aborted) throw problem;
    return fail(c, claim, new Error(messages.failureUnsaved(message, claimName(key), messageOf(problem)), { cause: problem }));
  }
  const refusal = c.state.refusal(key, plan.bytes);
  if (!refusal) return fail(c, claim, error);
  c.events.resizeFailed(claim, error.message);
  c.log.error(error, "The size is infeasible, it will be retried slowly", { claim: claimName(key), retryInMs: refusal.remainingMs });
  c.controller.queue.addAfter(key, refusal.remainingMs);
  return blocked;
}

function fail(c: ResizeContext, claim: Resize["claim"], error: Error): never {
  c.events.resizeFailed(claim, error.message);
  throw error;
}
