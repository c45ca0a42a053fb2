import { messageOf } from "@csi-sidecars/base";
import { done, type Reconcile, type ReconcileResult, requeueAfter } from "@csi-sidecars/controller";
import { isAbort } from "@csi-sidecars/kube";
import type { GroupContent } from "../fields.ts";
import { readinessPollMs } from "../readiness-poll.ts";
import { recordError } from "../record-error.ts";
import { deleteGroupSnapshot } from "./delete-group-snapshot.ts";
import { findGroupSnapshot } from "./find-group-snapshot.ts";
import { classOf, type GroupContentContext } from "./group-content-context.ts";
import { groupMessages } from "./group-messages.ts";
import { type GroupContentPlan, isOurs, planGroupContent } from "./plan-group-content.ts";
import { takeGroupSnapshot } from "./take-group-snapshot.ts";
import { release, unmark } from "./write-group-content.ts";

/** Takes or deletes the group snapshot of a content. The process may end at every await: the next attempt continues from what is stored by then. */
export const reconcileGroupContent =
  (c: GroupContentContext): Reconcile =>
  async (name, signal) => {
    const content = c.contents.get(name);
    if (!content || !isOurs(content, c.driver.name, classOf(c, content))) return done;
    try {
      return await carryOut(c, content, planGroupContent(content), signal);
    } finally {
      // Deleted meanwhile: no event would ever remove what was learned after that.
      if (c.contents.get(name)?.metadata.uid !== content.metadata.uid) c.memory.forget(content.metadata.uid);
    }
  };

async function carryOut(
  c: GroupContentContext,
  content: GroupContent,
  plan: GroupContentPlan,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  switch (plan.step) {
    case "none":
      return done;
    case "unmark":
      return next(c, await unmark(c, content, signal));
    case "create":
    case "check":
      return attempt(c, content, plan.step, signal);
    case "delete":
      await deleteGroupSnapshot(c, content, plan.group, signal);
      return done;
    case "release":
      await release(c, content, signal);
      return done;
  }
}

/** Has the driver take or look up the group snapshot, and tells users why not. */
async function attempt(
  c: GroupContentContext,
  content: GroupContent,
  step: "create" | "check",
  signal: AbortSignal,
): Promise<ReconcileResult> {
  try {
    const work = step === "check" ? findGroupSnapshot : takeGroupSnapshot;
    return next(c, await work(c, content, signal));
  } catch (error) {
    if (signal.aborted || isAbort(error)) throw error;
    const newest = c.contents.get(content.metadata.name);
    if (newest?.metadata.uid !== content.metadata.uid) return done;
    // The driver has not taken it, and nobody wants it any more.
    if (isDeletion(planGroupContent(newest))) return requeueAfter(0);
    await report(c, newest, error, step === "create" && !content.status, signal);
    throw error;
  }
}

/** What follows for the content as it is now: it may be deleted by now, or the driver is asked again whether it is ready. */
function next(c: GroupContentContext, content: GroupContent | undefined): ReconcileResult {
  const plan = content && planGroupContent(content);
  if (!plan || plan.step === "none") return done;
  if (plan.step !== "create" && plan.step !== "check") return requeueAfter(0);
  const waited = c.memory.sinceFirstAnswer(content.metadata.uid, c.clock.monotonic());
  return requeueAfter(readinessPollMs(waited, c.retryIntervalStartMs));
}

function isDeletion({ step }: GroupContentPlan): boolean {
  return step === "delete" || step === "release";
}

async function report(c: GroupContentContext, content: GroupContent, error: unknown, isFirst: boolean, signal: AbortSignal): Promise<void> {
  const message = (isFirst ? groupMessages.createFailed : groupMessages.checkFailed)(messageOf(error));
  const emit = isFirst ? c.events.createFailed : c.events.checkFailed;
  const unsaved = c.memory.saveFailed(content.metadata.uid, c.clock.monotonic());
  if (unsaved === "no") await recordError(c, c.target, content, { message, emit }, signal);
  // What the driver answered is known, and being ready is not to be overwritten by a failure to write it.
  else if (unsaved === "lasting") emit(content, message);
}
