import { bytesOf } from "@csi-sidecars/base";
import { keyOf, refKey, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { listed, plain } from "../../text.ts";
import { eventEvidence, newest } from "../events.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedClaim } from "../gather/observed.ts";
import { lastEvent, meaningOf, reportedAt } from "../operation-events.ts";
import { explainError } from "../words/driver-errors.ts";
import { readinessSteps } from "./readiness.ts";

/** The steps of a volume that has to be expanded; none where it has the requested size. */
export function expansionSteps(claim: V1PersistentVolumeClaim, observed: ObservedClaim): readonly Step[] {
  const requested = claim.spec?.resources?.requests?.storage;
  const capacity = claim.status?.capacity?.storage;
  const state = claim.status?.allocatedResourceStatuses?.storage;
  const nodePending = conditionOf(claim, "FileSystemResizePending");
  if (capacity === undefined || (bytesOf(requested) <= bytesOf(capacity) && !state && !nodePending)) return [];
  const sizes: Evidence = {
    object: `PersistentVolumeClaim ${refKey(observed.ref)}`,
    field: "status.capacity.storage",
    value: `${capacity}, requested ${requested}`,
  };
  const expanded = step("done", "the volume is expanded in the storage");
  switch (state) {
    case "ControllerResizeInfeasible":
      return [infeasibleStep(claim, observed, sizes)];
    case "NodeResizePending":
    case "NodeResizeInProgress":
    case "NodeResizeInfeasible":
      return [expanded, nodeStep(claim, observed, state)];
    default:
      return nodePending ? [expanded, nodeStep(claim, observed, "NodeResizePending")] : controllerSteps(claim, observed, sizes);
  }
}

function controllerSteps(claim: V1PersistentVolumeClaim, observed: ObservedClaim, sizes: Evidence): readonly Step[] {
  const { events, responsibleFor } = observed;
  const last = lastEvent("expand", events, responsibleFor);
  const readiness = readinessSteps(observed, "expand", reportedAt(last));
  const after = step("not yet", "the file system is expanded");
  const failed = last?.declared.progress === "failed" ? last.event : undefined;
  const text = failed ? failed.message : conditionOf(claim, "ControllerResizeError")?.message;
  if (text) {
    const { cause, remedy } = explainError("expand", text, responsibleFor);
    const evidence = failed ? eventEvidence(failed) : conditionEvidence(claim, "ControllerResizeError");
    return [...readiness, step("failed", `${meaningOf("expand", "failed", responsibleFor)}: ${cause}`, [evidence, sizes], remedy), after];
  }
  if (readiness.some(({ state }) => state !== "done")) return [...readiness, step("not yet", "the volume is expanded"), after];
  const resizing = conditionOf(claim, "Resizing");
  const since = resizing?.lastTransitionTime;
  const name = responsibleFor("expand")?.sidecar.name;
  return [
    ...readiness,
    step(
      "waiting",
      resizing ? meaningOf("expand", "started", responsibleFor) : `no ${name} has started to expand the volume`,
      [{ ...sizes, ...(since && { since }) }],
      resizing ? "if it stays so, check the driver's log" : `check that the driver's controller runs with the ${name}`,
    ),
    after,
  ];
}

function infeasibleStep(claim: V1PersistentVolumeClaim, { events, responsibleFor }: ObservedClaim, sizes: Evidence): Step {
  const error = conditionOf(claim, "ControllerResizeError");
  const failures = responsibleFor("expand")?.report.events.filter(({ progress }) => progress === "failed") ?? [];
  const text = error?.message ?? newest(events, ...failures.map(({ reason }) => reason))?.message;
  return step(
    "failed",
    `the storage cannot provide this size${text ? `: ${explainError("expand", text, responsibleFor).cause}` : ""}`,
    [...(error ? [conditionEvidence(claim, "ControllerResizeError")] : []), sizes],
    `lower spec.resources.requests.storage to a size the storage offers, above ${claim.status?.capacity?.storage}; retries are delayed`,
  );
}

function nodeStep(claim: V1PersistentVolumeClaim, observed: ObservedClaim, state: string): Step {
  const evidence = conditionOf(claim, "FileSystemResizePending")
    ? conditionEvidence(claim, "FileSystemResizePending")
    : { object: `PersistentVolumeClaim ${refKey(observed.ref)}`, field: "status.allocatedResourceStatuses.storage", value: state };
  const error = conditionOf(claim, "NodeResizeError");
  if (error || state === "NodeResizeInfeasible") {
    const text = plain(error?.message ?? "");
    return step(
      "failed",
      `the node could not expand the file system${text ? `: ${text}` : ""}`,
      [error ? conditionEvidence(claim, "NodeResizeError") : evidence],
      "check the log of the driver's node pod on that node, and the events of the pod that uses the claim",
    );
  }
  const pods = foundIn(observed.pods)?.filter((pod) => pod.spec?.nodeName);
  if (pods?.length === 0) {
    const what = "the file system is expanded when a pod uses the claim, and none does";
    return step("waiting", what, [evidence], "start a pod that uses the claim");
  }
  const where = pods ? ` for ${listed(pods.map((pod) => `pod ${keyOf(pod)} on ${pod.spec?.nodeName}`))}` : "";
  return step(
    "waiting",
    `the kubelet has to expand the file system${where}`,
    [evidence],
    "this takes up to two minutes; some drivers do it only when the pod starts: then restart the pod",
  );
}

type Condition = NonNullable<NonNullable<V1PersistentVolumeClaim["status"]>["conditions"]>[number];

function conditionOf(claim: V1PersistentVolumeClaim, type: string): Condition | undefined {
  return claim.status?.conditions?.find((condition) => condition.type === type && condition.status === "True");
}

/** A condition of a claim, as evidence. */
export function conditionEvidence(claim: V1PersistentVolumeClaim, type: string): Evidence {
  const { message, reason, lastTransitionTime } = conditionOf(claim, type) ?? {};
  return {
    object: `PersistentVolumeClaim ${keyOf(claim)}`,
    field: `status.conditions[${type}]`,
    value: plain(message || reason || "True"),
    ...(lastTransitionTime && { since: lastTransitionTime }),
  };
}
