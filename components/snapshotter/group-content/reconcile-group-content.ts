import { messageOf } from "@csi-sidecars/base";
import { done, type Reconcile, type ReconcileResult, requeueAfter, retry } from "@csi-sidecars/controller";
import { isAbort, isConflict } from "@csi-sidecars/kube";
import type { GroupContent } from "../fields.ts";
import { poll, reconcileOurs } from "../reconcile-ours.ts";
import { recordError } from "../record-error.ts";
import { deleteGroupSnapshot } from "./delete-group-snapshot.ts";
import { findGroupSnapshot } from "./find-group-snapshot.ts";
import { classOf, type GroupContentContext } from "./group-content-context.ts";
import { groupMessages } from "./group-messages.ts";
import { isOurs, isPreProvisioned, planGroupContent } from "./plan-group-content.ts";
import { saveGroup } from "./save-group.ts";
import { takeGroupSnapshot } from "./take-group-snapshot.ts";
import type { TakenGroup } from "./taken-group.ts";
import { release, unmark } from "./write-group-content.ts";

/** Does what a content asks for. */
export const reconcileGroupContent = (c: GroupContentContext): Reconcile =>
  reconcileOurs(
    c,
    (content) => isOurs(content, c.driver.name, classOf(c, content)),
    (content, signal) => carryOut(c, content, signal),
  );

async function carryOut(c: GroupContentContext, content: GroupContent, signal: AbortSignal): Promise<ReconcileResult> {
  const plan = planGroupContent(content);
  switch (plan.step) {
    case "none":
      c.state.forget(content.metadata.uid);
      return done;
    case "unmark":
      return next(c, await unmark(c, content, signal));
    case "create":
      return ask(c, content, takeGroupSnapshot, signal);
    case "check":
      return ask(c, content, findGroupSnapshot, signal);
    case "delete":
      await deleteGroupSnapshot(c, content, plan.group, signal);
      return done;
    case "release":
      await release(c, content, signal);
      return done;
  }
}

type Send = (c: GroupContentContext, content: GroupContent, signal: AbortSignal) => Promise<TakenGroup | undefined>;

/** Asks the driver for a group snapshot, unless its last answer is young or still to be saved, and saves what it says. */
async function ask(c: GroupContentContext, content: GroupContent, send: Send, signal: AbortSignal): Promise<ReconcileResult> {
  const { name, uid } = content.metadata;
  let group = c.state.unsaved(uid);
  if (!group) {
    const wait = c.state.untilNextPoll(uid, c.clock.monotonic());
    if (wait > 0) return poll(wait);
    try {
      group = await send(c, content, signal);
    } catch (error) {
      return failed(c, content, error, signal);
    }
    if (!group) return next(c, c.contents.get(name));
    c.state.answered(uid, group);
  }
  const saved = await saveGroup(c, content, group, signal);
  c.log.v(4).info("The driver has described the group snapshot", { content: name, groupSnapshot: group.handle, ready: group.readyToUse });
  return next(c, saved, poll(c.state.saved(uid, c.clock.monotonic())));
}

/** What follows for the content as it is now: nothing else would tell if the watch showed a deletion together with our own writes. */
function next(c: GroupContentContext, content: GroupContent | undefined, otherwise = retry): ReconcileResult {
  if (!content) return done;
  const { step } = planGroupContent(content);
  if (step === "create" || step === "check") return otherwise;
  if (step !== "none") return requeueAfter(0);
  c.state.forget(content.metadata.uid);
  return done;
}

/** Tells users what failed, and has the content retried after its backoff; at once if the driver has nothing of it and it is deleted. */
async function failed(c: GroupContentContext, content: GroupContent, error: unknown, signal: AbortSignal): Promise<ReconcileResult> {
  if (signal.aborted || isAbort(error) || isConflict(error)) throw error;
  const newest = c.contents.get(content.metadata.name);
  if (newest?.metadata.uid !== content.metadata.uid) return done;
  const { step } = planGroupContent(newest);
  if (step === "delete" || step === "release") return requeueAfter(0);
  const isFirst = content.status === undefined && !isPreProvisioned(content);
  const message = (isFirst ? groupMessages.createFailed : groupMessages.checkFailed)(messageOf(error));
  const emit = isFirst ? c.events.createFailed : c.events.checkFailed;
  await recordError(c, c.target, newest, { message, emit }, signal);
  throw error;
}
