import { bytesOf } from "@csi-sidecars/base";
import { keyOf, refKey, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { actorSteps } from "./actor-step.ts";
import { eventEvidence, lastSeen, newest } from "./events.ts";
import { type Evidence, type Step, step } from "./explanation.ts";
import type { ClaimFacts } from "./facts.ts";
import { translate } from "./grpc-words.ts";
import { valueIn } from "./look.ts";
import { listed, plain } from "./plain-text.ts";

/** The steps of a volume that has to grow; none where it has the size that was asked for. */
export function expansionSteps(claim: V1PersistentVolumeClaim, facts: ClaimFacts): readonly Step[] {
  const asked = claim.spec?.resources?.requests?.storage;
  const has = claim.status?.capacity?.storage;
  const state = claim.status?.allocatedResourceStatuses?.storage;
  const nodePending = conditionOf(claim, "FileSystemResizePending");
  if (has === undefined || (bytesOf(asked) <= bytesOf(has) && !state && !nodePending)) return [];
  const sizes: Evidence = {
    object: `PersistentVolumeClaim ${refKey(facts.ref)}`,
    field: "status.capacity.storage",
    value: `${has}, asked for ${asked}`,
  };
  switch (state) {
    case "ControllerResizeInfeasible":
      return [infeasible(claim, facts, sizes)];
    case "NodeResizePending":
    case "NodeResizeInProgress":
    case "NodeResizeInfeasible":
      return [grown(asked), nodeStep(claim, facts, state)];
    default:
      return nodePending ? [grown(asked), nodeStep(claim, facts, "NodeResizePending")] : controllerSteps(claim, facts, sizes);
  }
}

const grown = (asked: string | number | undefined) => step("done", `the volume itself has grown towards ${asked}`);

function controllerSteps(claim: V1PersistentVolumeClaim, facts: ClaimFacts, sizes: Evidence): readonly Step[] {
  const resizing = conditionOf(claim, "Resizing");
  const last = newest(facts.events, "VolumeResizeFailed", "Resizing", "VolumeResizeSuccessful");
  const error = conditionOf(claim, "ControllerResizeError");
  const actors = actorSteps(facts.actor, {
    ...{ sidecar: "resizer", now: facts.now, capability: "EXPAND_VOLUME" },
    ...(last && { lastWord: lastSeen(last) }),
  });
  const after = step("not yet", "the file system has grown");
  const text = last?.reason === "VolumeResizeFailed" ? last.message : error?.message;
  if (text) {
    const { code, meaning, remedy } = translate("expand", text);
    const evidence = last?.reason === "VolumeResizeFailed" ? eventEvidence(last) : conditionEvidence(claim, "ControllerResizeError");
    return [
      ...actors,
      step("failed", `the volume could not grow: ${meaning}${code ? ` (${code})` : ""}`, [evidence, sizes], remedy),
      after,
    ];
  }
  if (actors.some(({ state }) => state !== "done")) return [...actors, step("not yet", "the volume has grown"), after];
  const since = resizing?.lastTransitionTime;
  return [
    ...actors,
    step(
      "waiting",
      resizing ? "the driver is making the volume larger" : "no resizer has taken up the request for a larger volume",
      [{ ...sizes, ...(since && { since }) }],
      resizing ? "if it lasts, read the driver's log" : "look whether the driver's controller runs with the resizer",
    ),
    after,
  ];
}

function infeasible(claim: V1PersistentVolumeClaim, facts: ClaimFacts, sizes: Evidence): Step {
  const error = conditionOf(claim, "ControllerResizeError");
  const text = error?.message ?? newest(facts.events, "VolumeResizeFailed")?.message ?? "";
  return step(
    "failed",
    `the storage cannot give the volume this size: ${text ? translate("expand", text).meaning : "it said no for good"}`,
    [...(error ? [conditionEvidence(claim, "ControllerResizeError")] : []), sizes],
    `lower spec.resources.requests.storage to a size that is possible, above ${claim.status?.capacity?.storage}; it is tried again rarely`,
  );
}

function nodeStep(claim: V1PersistentVolumeClaim, facts: ClaimFacts, state: string): Step {
  const evidence = conditionOf(claim, "FileSystemResizePending")
    ? conditionEvidence(claim, "FileSystemResizePending")
    : { object: `PersistentVolumeClaim ${refKey(facts.ref)}`, field: "status.allocatedResourceStatuses.storage", value: state };
  const error = conditionOf(claim, "NodeResizeError");
  if (error || state === "NodeResizeInfeasible") {
    const text = plain(error?.message ?? "");
    return step(
      "failed",
      `the node could not make the file system larger${text ? `: ${text}` : ""}`,
      [error ? conditionEvidence(claim, "NodeResizeError") : evidence],
      "read the log of the driver's node pod on that node, and the events of the pod that uses the claim",
    );
  }
  const pods = valueIn(facts.pods)?.filter((pod) => pod.spec?.nodeName);
  if (pods?.length === 0) {
    return step("waiting", "the file system grows when a pod uses the claim, and none does", [evidence], "start a pod that uses the claim");
  }
  const where = pods ? ` for ${listed(pods.map((pod) => `pod ${keyOf(pod)} on ${pod.spec?.nodeName}`))}` : "";
  return step(
    "waiting",
    `the kubelet has to make the file system larger${where}`,
    [evidence],
    "it does so within two minutes; some drivers only when the pod starts: then start it anew",
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
