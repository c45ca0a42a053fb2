import { done, type Reconcile, type ReconcileResult } from "@csi-sidecars/controller";
import type { Content } from "../fields.ts";
import { messages } from "../messages.ts";
import { poll, reconcileOurs } from "../reconcile-ours.ts";
import { recordError } from "../record-error.ts";
import { type ContentContext, classOf } from "./content-context.ts";
import { release, unmark } from "./content-marks.ts";
import { createSnapshot, type Outcome } from "./create-snapshot.ts";
import { deleteSnapshot } from "./delete-snapshot.ts";
import { lookUpSnapshot } from "./look-up-snapshot.ts";
import { isOurs, planContent } from "./plan-content.ts";
import { saveSnapshot } from "./save-snapshot.ts";

/** Does what a content asks for. */
export const reconcileContent = (c: ContentContext): Reconcile =>
  reconcileOurs(
    c,
    (content) => isOurs(content, c.driver.name, classOf(c, content)),
    (content, signal) => carryOut(c, content, signal),
  );

async function carryOut(c: ContentContext, content: Content, signal: AbortSignal): Promise<ReconcileResult> {
  const plan = planContent(content);
  switch (plan.step) {
    case "none":
      c.state.forget(content.metadata.uid);
      return done;
    case "unmark":
      await unmark(c, content, signal);
      return again(c, content.metadata.name);
    case "create":
      return ask(c, content, () => createSnapshot(c, content, signal), signal);
    case "look up":
      return ask(c, content, () => lookUpSnapshot(c, content, plan.snapshotId, signal), signal);
    case "delete": {
      const cleared = await deleteSnapshot(c, content, plan.snapshotId, signal);
      if (cleared) await release(c, cleared, signal);
      return done;
    }
    case "release":
      await release(c, content, signal);
      return done;
  }
}

/** Asks the driver for a snapshot, unless its last answer is young or still to be saved; and what is to be done next is looked at again. */
async function ask(c: ContentContext, content: Content, send: () => Promise<Outcome>, signal: AbortSignal): Promise<ReconcileResult> {
  const { name, uid } = content.metadata;
  let snapshot = c.state.unsaved(uid);
  if (!snapshot) {
    const wait = c.state.untilNextPoll(uid, c.clock.monotonic());
    if (wait > 0) return poll(wait);
    const outcome = await send();
    if (outcome.kind === "failed") return fail(c, content, outcome.message, signal);
    if (outcome.kind === "moot") return again(c, name);
    if (outcome.kind === "gone") return done;
    snapshot = outcome.snapshot;
    c.state.answered(uid, snapshot);
  }
  const saved = await saveSnapshot(c, content, snapshot, signal);
  const wait = c.state.saved(uid, c.clock.monotonic());
  c.log.v(4).info("The driver has described the snapshot", { content: name, snapshot: snapshot.handle, ready: snapshot.readyToUse });
  if (!saved) return done;
  const { step } = planContent(saved);
  if (step === "create" || step === "look up") return poll(wait);
  if (step !== "none") return again(c, name);
  c.state.forget(uid);
  return done;
}

/** Nothing else would tell if the watch showed a deletion together with our own writes. */
function again(c: ContentContext, name: string): ReconcileResult {
  c.controller.enqueue(name);
  return done;
}

/** Tells users what failed, and has the content retried after its backoff; at once if the driver has nothing of it and it is deleted. */
async function fail(c: ContentContext, content: Content, cause: string, signal: AbortSignal): Promise<ReconcileResult> {
  const { name, uid } = content.metadata;
  const newest = c.contents.get(name);
  const step = newest?.metadata.uid === uid ? planContent(newest).step : "none";
  if (!signal.aborted && (step === "delete" || step === "release")) return again(c, name);
  const isFirst = content.status === undefined && content.spec?.source?.snapshotHandle === undefined;
  const message = isFirst ? messages.createFailed(cause) : messages.checkFailed(cause);
  const emit = isFirst ? c.events.createFailed : c.events.checkFailed;
  if (!signal.aborted) await recordError(c, c.target, content, { message, emit }, signal);
  throw new Error(message);
}
