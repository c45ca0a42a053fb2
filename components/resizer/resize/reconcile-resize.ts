import { secondsSince } from "@csi-sidecars/base";
import { blocked, done, type Reconcile, type ReconcileResult, wrapError } from "@csi-sidecars/controller";
import type { Key } from "@csi-sidecars/kube";
import { claimName, findClaim } from "../claim-key.ts";
import { expands, isBoundTo } from "../claim-volume.ts";
import type { Claim, Volume } from "../fields.ts";
import { messages } from "../messages.ts";
import { writeClaim } from "../write-claim.ts";
import { markRefused, markResizing } from "./claim-marks.ts";
import { type Expansion, expandVolume } from "./expand-call.ts";
import { handleExpandFailure } from "./handle-expand-failure.ts";
import { planResize, type Resize, type ResizePlan } from "./plan-resize.ts";
import type { ResizeContext } from "./resize-context.ts";
import type { Refusal } from "./resize-state.ts";
import { removeNotedSize, reportSaved, saveExpansion } from "./save-expansion.ts";

/** Expands the volume of a claim. The process may end at every await: the next attempt continues from what is stored by then. */
export const reconcileResize =
  (c: ResizeContext): Reconcile =>
  async (key, signal) => {
    const started = c.clock.monotonic();
    const claim = findClaim(c.claims, key);
    // A volume that is not there yet brings its claim back when it appears.
    const found = claim && c.volumes.get(claim.spec?.volumeName ?? "");
    if (!claim || !found || !isBoundTo(found, claim) || !expands(c.driver, found, claim)) return nothingToDo(c, key);
    const volume = await removeNotedSize(c, claim, found, signal);
    const resize = await begin(c, key, claim, volume, signal);
    if ("next" in resize) return resize;
    const expansion = c.state.unsaved(key, resize.plan.bytes) ?? (await expand(c, resize, signal));
    if ("next" in expansion) return expansion;
    await saveExpansion(c, resize, expansion, signal);
    const seconds = secondsSince(c.clock, started);
    c.log.v(4).info("Resize volume succeeded", { claim: claimName(key), volume: volume.metadata.name, ...expansion, seconds });
    // It may have been expanded to less than it requests, and our own writes tell nobody.
    c.controller.enqueue(key);
    return done;
  };

function nothingToDo(c: ResizeContext, key: Key): ReconcileResult {
  c.state.ended(key);
  c.inUse.delete(key);
  return done;
}

/** Notes in the claim what is going to be done; or says how the pass ends without that. */
async function begin(c: ResizeContext, key: Key, claim: Claim, volume: Volume, signal: AbortSignal): Promise<Resize | ReconcileResult> {
  const planFor = (newest: Claim): ResizePlan =>
    planResize(newest, volume, { driver: c.driver, recovers: c.recovers, finalError: c.state.endedWithError(key) });
  let plan = planFor(claim);
  if (plan.noStatus) c.log.info("The API server may be older than 1.32 and not keep how far an expansion is", { claim: claimName(key) });
  if (plan.step === "none") {
    reportSaved(c, key, claim);
    return nothingToDo(c, key);
  }
  c.state.begun(key);
  const refusal = c.state.refusal(key, plan.bytes);
  if (refusal) return waitForRefusal(c, key, claim, refusal, signal);
  const change = (newest: Claim) => {
    plan = planFor(newest);
    return plan.step === "expand" ? markResizing(newest, plan, c.marks()) : undefined;
  };
  const marked = await writeClaim(c, claim, change, signal).catch((error: unknown) => {
    throw wrapError(`marking pvc "${claimName(key)}" as resizing failed`, error);
  });
  return marked && plan.step === "expand" ? { key, claim: marked, volume, plan } : nothingToDo(c, key);
}

/** The driver has refused this size: the claim says so, and is looked at again when the time has passed. */
async function waitForRefusal(
  c: ResizeContext,
  key: Key,
  claim: Claim,
  { cause, remainingMs }: Refusal,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  await writeClaim(c, claim, (newest) => markRefused(newest, cause, true, c.marks()), signal);
  c.log.v(4).info("Skipping volume expansion, because it previously failed with an infeasible error", { claim: claimName(key) });
  c.controller.queue.addAfter(key, remainingMs);
  return blocked;
}

/** Calls the driver, unless it has said that it does not expand the volume in use and pods use it. */
async function expand(c: ResizeContext, resize: Resize, signal: AbortSignal): Promise<Expansion | ReconcileResult> {
  const { key, claim, volume, plan } = resize;
  const usage = c.inUse.usage(key);
  if (usage !== "unused") {
    const text = usage === "used" ? messages.inUse : messages.podsUnknown;
    const problem = text(claimName(key), c.driver.name);
    c.events.resizeFailed(claim, problem);
    throw new Error(problem);
  }
  c.events.resizing(claim, messages.resizing(volume.metadata.name));
  const { expansion, failure } = await expandVolume(c, volume, plan, signal);
  if (failure) return handleExpandFailure(c, resize, failure, signal);
  c.inUse.delete(key);
  c.state.expanded(key, plan.bytes, expansion);
  return expansion;
}
