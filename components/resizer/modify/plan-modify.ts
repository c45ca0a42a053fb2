import type { AttributesClass, Claim } from "../fields.ts";
import { messages } from "../messages.ts";
import { modifyingVolume, modifyVolumeError } from "./modify-conditions.ts";
import type { Answer, LastCall } from "./modify-state.ts";

export type ModifyPlan =
  | { readonly step: "none" }
  /** The driver's answer has to be written down before anything else. */
  | { readonly step: "save"; readonly answer: Answer }
  /** Nobody wants another class any more, and the driver is not working on one. */
  | { readonly step: "cancel" }
  /** The class is refused, and the claim has that in its status. The same one is not sent again before `ms` have passed; never without. */
  | { readonly step: "wait"; readonly className: string; readonly ms?: number }
  /** The class that the claim names does not exist: the claim waits for it. */
  | { readonly step: "pend"; readonly className: string; readonly message: string }
  /**
   * The class that the claim names, or that somebody has begun to apply, is another driver's. The driver would have to guess what its
   * parameters mean, and is not asked.
   */
  | { readonly step: "refuse"; readonly className: string; readonly message: string }
  /** The class that the driver may be working on does not exist any more, and no other one may take its place. */
  | { readonly step: "report"; readonly className: string; readonly message: string }
  /** The class is written down as the target: that must be stored before the driver may act. */
  | { readonly step: "mark"; readonly class: AttributesClass }
  | { readonly step: "call"; readonly class: AttributesClass };

/** What is known beside the claim. */
export interface ModifyInputs {
  readonly driver: string;
  classOf(name: string): AttributesClass | undefined;
  readonly lastCall: LastCall;
  readonly unsavedAnswer: Answer | undefined;
  /** Milliseconds until a class that the driver has refused may be sent again. */
  infeasibleMs(refused: AttributesClass): number | undefined;
}

/** The class that the claim names; empty where it names none. */
export function wantedClassName({ spec }: Claim): string {
  return spec?.volumeAttributesClassName ?? "";
}

/** Whether its status says that a class is being applied. */
export function isInProgress({ status }: Claim): boolean {
  return status?.modifyVolumeStatus?.status === "InProgress";
}

/** What the present state of a bound claim asks for. Called again after every step. */
export function planModify(claim: Claim, inputs: ModifyInputs): ModifyPlan {
  const { lastCall, unsavedAnswer } = inputs;
  const { modifyVolumeStatus, currentVolumeAttributesClassName = "", conditions = [] } = claim.status ?? {};
  const { status, targetVolumeAttributesClassName: target = "" } = modifyVolumeStatus ?? {};
  const wanted = wantedClassName(claim);
  const inProgress = isInProgress(claim);

  if (unsavedAnswer && isToBeSaved(unsavedAnswer, claim)) return { step: "save", answer: unsavedAnswer };
  if (!modifyVolumeStatus && wanted === currentVolumeAttributesClassName) return { step: "none" };
  if (wanted === "" && !inProgress) return { step: conditions.some(({ type }) => type === modifyingVolume) ? "cancel" : "none" };
  if (inProgress && (lastCall === "uncertain" || wanted === "")) {
    const recorded = usableClass(target, inputs);
    if (recorded.class) return { step: "call", class: recorded.class };
    return { step: recorded.isForeign ? "refuse" : "report", className: target, message: recorded.problem };
  }
  const found = usableClass(wanted, inputs);
  const isInfeasible = status === "Infeasible" && target === wanted;
  if (!found.class) {
    if (!found.isForeign) return { step: "pend", className: wanted, message: found.problem };
    const isRefused = isInfeasible && conditions.some(({ type, message }) => type === modifyVolumeError && message === found.problem);
    return isRefused ? { step: "wait", className: wanted } : { step: "refuse", className: wanted, message: found.problem };
  }
  const ms = isInfeasible ? inputs.infeasibleMs(found.class) : undefined;
  if (ms !== undefined) return { step: "wait", className: wanted, ms };
  return { step: inProgress && lastCall === "none" && target === wanted ? "call" : "mark", class: found.class };
}

/**
 * Whether the claim is still at the target that was answered for. Also where the answer is in it already: a write whose own answer was
 * lost has done that, and users have not been told.
 */
function isToBeSaved(answer: Answer, { status }: Claim): boolean {
  const { modifyVolumeStatus, currentVolumeAttributesClassName } = status ?? {};
  if (!modifyVolumeStatus) return answer.outcome === "modified" && currentVolumeAttributesClassName === answer.className;
  if (modifyVolumeStatus.targetVolumeAttributesClassName !== answer.className) return false;
  const isRefused = answer.outcome === "failed" && answer.infeasible;
  return modifyVolumeStatus.status === "InProgress" || (isRefused && modifyVolumeStatus.status === "Infeasible");
}

type UsableClass = { readonly class: AttributesClass } | { readonly class?: never; readonly problem: string; readonly isForeign: boolean };

function usableClass(name: string, { classOf, driver }: ModifyInputs): UsableClass {
  const found = classOf(name);
  if (!found) return { problem: messages.classMissing(name), isForeign: false };
  if (found.driverName === driver) return { class: found };
  return { problem: messages.classOfOtherDriver(name, found.driverName, driver), isForeign: true };
}
