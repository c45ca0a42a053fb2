import { done, type Reconcile, type ReconcileResult, requeueAfter } from "@csi-sidecars/controller";
import { keyOf } from "@csi-sidecars/kube";
import { claimKey, findClaim } from "../claim-key.ts";
import { isBoundTo, isOwnVolume } from "../claim-volume.ts";
import type { Claim, Volume } from "../fields.ts";
import { messages } from "../messages.ts";
import type { ModifyContext } from "./modify-context.ts";
import type { Answer } from "./modify-state.ts";
import { canceled, inProgress, pending, refused } from "./modify-status.ts";
import { modifyVolume } from "./modify-volume.ts";
import { isInProgress, type ModifyPlan, planModify, wantedClassName } from "./plan-modify.ts";
import { saveAnswer } from "./save-answer.ts";
import { writeStep } from "./write-step.ts";

/**
 * Modifies the volume of a claim, step by step until nothing is left to do: a class that was named meanwhile is taken up at once. The
 * process may end at every await: the next attempt continues from what is stored by then.
 */
export const reconcileModify =
  (c: ModifyContext): Reconcile =>
  async (key, signal) => {
    for (let claim = findClaim(c.claims, key); ; ) {
      c.waiting.delete(key);
      const volume = claim && modifiableVolume(c, claim);
      if (!claim || !volume) return done;
      const next = await takeStep(c, { claim, volume }, plan(c, claim), signal);
      if ("result" in next) return next.result;
      claim = next.claim;
    }
  };

/** The volume of a bound claim, if it is the driver's. */
function modifiableVolume({ driver, volumes }: ModifyContext, claim: Claim): Volume | undefined {
  const volume = volumes.get(claim.spec?.volumeName ?? "");
  if (!volume || claim.status?.phase !== "Bound") return undefined;
  return isOwnVolume(driver, volume) && isBoundTo(volume, claim) ? volume : undefined;
}

function plan({ driver, classes, state, infeasible }: ModifyContext, claim: Claim): ModifyPlan {
  const key = claimKey(claim);
  return planModify(claim, {
    driver: driver.name,
    classOf: (name) => classes.get(name),
    lastCall: state.lastCall(key),
    unsavedAnswer: state.unsavedAnswer(key),
    infeasibleMs: ({ metadata }) => infeasible.remaining(key, metadata.uid),
  });
}

interface BoundClaim {
  readonly claim: Claim;
  readonly volume: Volume;
}

/** The claim as a step has left it, to be looked at again; or how the attempt ends. */
type Next = { readonly claim: Claim | undefined } | { readonly result: ReconcileResult };

async function takeStep(c: ModifyContext, bound: BoundClaim, planned: ModifyPlan, signal: AbortSignal): Promise<Next> {
  const { claim, volume } = bound;
  const key = claimKey(claim);
  const ended = (): Next => {
    c.state.forget(key);
    return { result: done };
  };
  switch (planned.step) {
    case "none":
      return ended();
    case "cancel": {
      const { isTaken, newest } = await writeStep(c, claim, canceled, signal);
      if (!isTaken) return { claim: newest };
      c.events.modifyCanceled(newest, messages.modifyCanceled());
      return ended();
    }
    case "wait":
      c.waiting.add(key, planned.className);
      return { result: planned.ms === undefined ? done : requeueAfter(planned.ms) };
    case "pend":
    case "refuse": {
      const { step, className, message } = planned;
      c.waiting.add(key, className);
      const written = (fresh: Claim) => (step === "pend" ? pending(fresh) : refused(fresh, className, message, c.clock.now()));
      const { isTaken, newest } = await writeStep(c, claim, written, signal);
      if (!isTaken) return { claim: newest };
      c.events.modifyFailed(newest, message);
      // One that somebody has begun to apply gives way to the one that the claim names.
      return className === wantedClassName(newest) ? ended() : { claim: newest };
    }
    case "report":
      c.waiting.add(key, planned.className);
      c.events.modifyFailed(claim, planned.message);
      throw new Error(planned.message);
    case "mark": {
      const { name } = planned.class.metadata;
      const { isTaken, newest } = await writeStep(c, claim, (fresh) => inProgress(fresh, name, c.clock.now()), signal);
      if (!isTaken) return { claim: newest };
      if (!isInProgress(newest)) {
        c.events.modifyFailed(newest, messages.statusNotKept());
        throw new Error(messages.statusNotKept());
      }
      c.state.marked(key);
      c.events.modifying(newest, messages.modifying(claim.metadata.name, name));
      return { claim: newest };
    }
    case "call":
      return saveAndContinue(c, bound, await modifyVolume(c, { claim, volume, class: planned.class }, signal), signal);
    case "save":
      return saveAndContinue(c, bound, planned.answer, signal);
  }
}

/** Saves an answer. After a failure the same call is left to the backoff; another class, or the delay of an infeasible one, is not. */
async function saveAndContinue(c: ModifyContext, bound: BoundClaim, answer: Answer, signal: AbortSignal): Promise<Next> {
  const claim = await saveAnswer(c, { ...bound, answer }, signal);
  if (claim && answer.outcome === "failed") {
    const next = plan(c, claim);
    const isRetry = (next.step === "mark" || next.step === "call") && next.class.metadata.name === answer.className;
    if (isRetry) throw answer.error;
    c.log.error(answer.error, "Could not modify the volume", { claim: keyOf(claim), class: answer.className });
  }
  return { claim };
}
