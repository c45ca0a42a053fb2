import { bytesOf } from "@csi-sidecars/base";
import { keyOf, refKey, type V1Event, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { listed } from "../../text.ts";
import { eventEvidence, newest } from "../events.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { historyOf, meaningOf, reportedAt } from "../operation-events.ts";
import { explainError } from "../words/driver-errors.ts";
import { nextAttempt } from "../words/next-attempt.ts";
import { attemptSteps } from "./attempt.ts";
import { conditionEvidence, conditionOf } from "./claim-conditions.ts";
import { nodeStateOf, nodeStep } from "./node-expansion.ts";
import { readinessSteps } from "./readiness.ts";
import { unlessUnread } from "./unread-events.ts";

/** Whether the volume of a claim has to be expanded. */
export function expands(claim: V1PersistentVolumeClaim): boolean {
  const { capacity, allocatedResourceStatuses } = claim.status ?? {};
  if (capacity?.storage === undefined) return false;
  const grows = bytesOf(claim.spec?.resources?.requests?.storage) > bytesOf(capacity.storage);
  return grows || Boolean(allocatedResourceStatuses?.storage) || conditionOf(claim, "FileSystemResizePending") !== undefined;
}

/** The steps of a volume that has to be expanded; none where it has the requested size. */
export function expansionSteps(claim: V1PersistentVolumeClaim, observed: ObservedClaim): readonly Step[] {
  if (!expands(claim)) return [];
  const nodeState = nodeStateOf(claim);
  if (nodeState) return [step("done", "the volume is expanded in the storage"), nodeStep(claim, observed, nodeState)];
  const isInfeasible = claim.status?.allocatedResourceStatuses?.storage === "ControllerResizeInfeasible";
  return isInfeasible ? [infeasibleStep(claim, observed)] : controllerSteps(claim, observed);
}

function controllerSteps(claim: V1PersistentVolumeClaim, observed: ObservedClaim): readonly Step[] {
  const { events, responsibleFor } = observed;
  const history = historyOf("expand", events, responsibleFor);
  const readiness = readinessSteps(observed, "expand", reportedAt(history.last));
  const rest = [...smallerSizeStep(claim), step("not yet", "the file system is expanded")];
  const failed = history.failure?.event;
  const text = failed ? failed.message : conditionOf(claim, "ControllerResizeError")?.message;
  if (text) return [...readiness, failedStep(claim, observed, failed, text), ...attemptSteps(history), ...rest];
  if (readiness.some(({ state }) => state !== "done")) return [...readiness, step("not yet", "the volume is expanded"), ...rest];
  const resizing = conditionOf(claim, "Resizing");
  const since = resizing?.lastTransitionTime;
  const name = responsibleFor("expand")?.sidecar.name;
  return [
    ...readiness,
    unlessUnread(
      observed,
      `the ${name}`,
      sizes(claim).object,
      step(
        "waiting",
        resizing ? meaningOf("expand", "started", responsibleFor) : `no ${name} has started to expand the volume`,
        [{ ...sizes(claim), ...(since && { since }) }],
        resizing ? "if it stays so, check the driver's log" : `check that the driver's controller runs with the ${name}`,
      ),
    ),
    ...rest,
  ];
}

function failedStep(claim: V1PersistentVolumeClaim, observed: ObservedClaim, failed: V1Event | undefined, text: string): Step {
  const { responsibleFor } = observed;
  const { cause, remedy } = explainError("expand", text, responsibleFor);
  const evidence = failed ? eventEvidence(failed) : conditionEvidence(claim, "ControllerResizeError");
  const users = isInUse(text, observed) ? podsUsing(observed) : [];
  const pods = users.length > 0 ? `; they are ${listed(users)}` : "";
  return step("failed", `${meaningOf("expand", "failed", responsibleFor)}: ${cause}`, [evidence, sizes(claim)], `${remedy}${pods}`);
}

/** Whether pods have to end first, as the driver or its sidecar said. */
function isInUse(text: string, { responsibleFor }: ObservedClaim): boolean {
  return text.includes("code = FailedPrecondition ") || (responsibleFor("expand")?.report.inUse?.isIn(text) ?? false);
}

function podsUsing({ pods }: ObservedClaim): readonly string[] {
  return (foundIn(pods) ?? []).map((pod) => `pod ${keyOf(pod)}${pod.spec?.nodeName ? ` on ${pod.spec.nodeName}` : ""}`);
}

/** A request that was lowered counts when the driver is known to have given up the larger size: it may still be working on it. */
function smallerSizeStep(claim: V1PersistentVolumeClaim): readonly Step[] {
  const { allocatedResources, allocatedResourceStatuses } = claim.status ?? {};
  const tried = allocatedResources?.storage;
  const requested = claim.spec?.resources?.requests?.storage;
  if (allocatedResourceStatuses?.storage !== "ControllerResizeInProgress" || bytesOf(tried) <= bytesOf(requested)) return [];
  const what = `the volume is expanded to ${requested} instead of ${tried}, once the driver has given that up: it may still be working on it`;
  return [step("not yet", what)];
}

function infeasibleStep(claim: V1PersistentVolumeClaim, observed: ObservedClaim): Step {
  const { events, responsibleFor } = observed;
  const error = conditionOf(claim, "ControllerResizeError");
  const failures = responsibleFor("expand")?.report.events.filter(({ progress }) => progress === "failed") ?? [];
  const event = newest(events, ...failures.map(({ reason }) => reason));
  const text = error?.message ?? event?.message;
  const retry = nextAttempt(claim, { event, condition: "ControllerResizeError" }, observed);
  return step(
    "failed",
    `the storage cannot provide this size${text ? `: ${explainError("expand", text, responsibleFor).cause}` : ""}`,
    [...(error ? [conditionEvidence(claim, "ControllerResizeError")] : []), sizes(claim)],
    `lower spec.resources.requests.storage to a size the storage offers, above ${claim.status?.capacity?.storage}: that is tried at once; ${retry}`,
  );
}

function sizes(claim: V1PersistentVolumeClaim): Evidence {
  const { metadata, spec, status } = claim;
  const { namespace, name = "" } = metadata ?? {};
  return {
    object: `PersistentVolumeClaim ${refKey({ name, ...(namespace && { namespace }) })}`,
    field: "status.capacity.storage",
    value: `${status?.capacity?.storage}, requested ${spec?.resources?.requests?.storage}`,
  };
}
