import { keyOf, refKey, type V1PersistentVolumeClaim, type V1Pod, wellKnownAnnotation } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { listed, plain } from "../../text.ts";
import { eventEvidence } from "../events.ts";
import { type Evidence, type Step, step } from "../explanation.ts";
import type { ObservedClaim, ObservedNode } from "../gather/observed.ts";
import { explainError } from "../words/driver-errors.ts";
import { explainScheduling } from "../words/scheduling.ts";
import { provisioningHistory } from "./provisioning.ts";

/** The field of the condition in which the scheduler says why it finds no node for a pod. */
export const podScheduled = "status.conditions[PodScheduled]";

/** WaitForFirstConsumer: whether a pod uses the claim, and has a node. `isStatic`: no driver is needed on that node. */
export function consumerStep(claim: V1PersistentVolumeClaim, observed: ObservedClaim, isStatic: boolean): Step {
  const pods = foundIn(observed.pods);
  const object = `PersistentVolumeClaim ${refKey(observed.ref)}`;
  const selected = claim.metadata?.annotations?.[wellKnownAnnotation.selectedNode];
  if (selected !== undefined && observed.selectedNode) {
    return nodeStep(
      observed.selectedNode,
      { object, field: `metadata.annotations[${wellKnownAnnotation.selectedNode}]`, value: selected },
      observed,
      isStatic,
    );
  }
  const created = claim.metadata?.creationTimestamp;
  if (!pods) return step("waiting", "the class waits until a pod that uses the claim is scheduled", [], "check that a pod uses the claim");
  const [first] = pods;
  if (!first) {
    return step(
      "waiting",
      "no pod uses the claim, and its class creates volumes only when one does",
      [{ object, field: "status.phase", value: "Pending", ...(created && { since: created }) }],
      "create a pod that uses the claim; to create volumes earlier, use a class with volumeBindingMode: Immediate",
    );
  }
  return (
    rejectedNode(observed) ?? pods.map((pod) => unscheduled(pod, observed)).find((found) => found !== undefined) ?? waitsForScheduler(pods)
  );
}

/** The volume could not be created for the selected node, and the selection was removed. */
function rejectedNode(observed: ObservedClaim): Step | undefined {
  const { failure: last } = provisioningHistory(observed);
  if (!last) return undefined;
  const { cause, remedy } = explainError("create", last.event.message ?? "", observed.responsibleFor);
  return step(
    "failed",
    `${last.declared.meaning} for the selected node, and the scheduler has to select another one: ${cause}`,
    [eventEvidence(last.event)],
    remedy,
  );
}

function unscheduled(pod: V1Pod, observed: ObservedClaim): Step | undefined {
  const object = `Pod ${keyOf(pod)}`;
  if (pod.spec?.nodeName) {
    return step(
      "failed",
      `pod ${keyOf(pod)} sets spec.nodeName, so the scheduler never selects a node for the claim`,
      [{ object, field: "spec.nodeName", value: pod.spec.nodeName }],
      "use nodeSelector or affinity in place of spec.nodeName, or a class with volumeBindingMode: Immediate",
    );
  }
  const condition = pod.status?.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (!condition) return undefined;
  const evidence: Evidence = {
    object,
    field: podScheduled,
    value: plain(condition.message || condition.reason || "False"),
    ...(condition.lastTransitionTime && { since: condition.lastTransitionTime }),
  };
  return withoutNode(`pod ${keyOf(pod)}`, evidence, condition.reason, [observed]);
}

/** A pod that has no node for the reason that its condition names. `claims`: those of its claims that are known. */
export function withoutNode(pod: string, evidence: Evidence, reason: string | undefined, claims: readonly ObservedClaim[]): Step {
  return reason === "SchedulingGated"
    ? step("waiting", `${pod} is held by its scheduling gates`, [evidence], "remove the gates from spec.schedulingGates")
    : unschedulable(`${pod} cannot be scheduled`, evidence, claims);
}

const longestInline = 80;

/** The scheduler's message is long: it is the evidence, and said once. */
function unschedulable(what: string, evidence: Evidence, claims: readonly ObservedClaim[]): Step {
  const { value } = evidence;
  const { meaning = value.length <= longestInline ? value : undefined, remedy } = explainScheduling(
    value,
    claims.flatMap(({ storageClass }) => foundIn(storageClass) ?? []),
  );
  return step("waiting", meaning ? `${what}: ${meaning}` : what, [evidence], remedy);
}

function waitsForScheduler(pods: readonly V1Pod[]): Step {
  return step(
    "waiting",
    `the scheduler has not selected a node for ${listed(pods.map((pod) => `pod ${keyOf(pod)}`))} yet`,
    pods.slice(0, 3).map((pod): Evidence => ({ object: `Pod ${keyOf(pod)}`, field: "spec.nodeName", value: "not set" })),
    "if it stays so, check the events of the pod, and that kube-scheduler runs",
  );
}

function nodeStep({ name, node, csiNode }: ObservedNode, evidence: Evidence, { driver }: ObservedClaim, isStatic: boolean): Step {
  if (node.state === "missing") {
    return step(
      "failed",
      `the selected node ${name} does not exist any more`,
      [evidence, { object: `Node ${name}`, field: "metadata.name", value: "not found" }],
      `delete the pod so that it is scheduled again; if that does not help, remove from the claim the annotation ${wellKnownAnnotation.selectedNode}`,
    );
  }
  const registered = foundIn(csiNode)?.spec?.drivers?.some((each) => each.name === driver?.name);
  if (!isStatic && driver && (csiNode.state === "missing" || registered === false)) {
    return step(
      "waiting",
      `driver ${driver.name} is not registered on the selected node ${name}`,
      [evidence, { object: `CSINode ${name}`, field: "spec.drivers", value: `without ${driver.name}` }],
      `check that the driver's node pod runs on ${name} and its registrar succeeded`,
    );
  }
  return step("done", `a pod on node ${name} uses the claim`, [evidence]);
}
