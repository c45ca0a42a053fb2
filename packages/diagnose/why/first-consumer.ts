import { keyOf, refKey, type V1PersistentVolumeClaim, type V1Pod, wellKnownAnnotation } from "@csi-sidecars/kube";
import { eventEvidence, isFromSidecar, newest } from "./events.ts";
import { type Evidence, type Step, step } from "./explanation.ts";
import type { ClaimFacts, NodeFacts } from "./facts.ts";
import { translate } from "./grpc-words.ts";
import { valueIn } from "./look.ts";
import { listed, plain } from "./plain-text.ts";

/** Late binding: whether a pod uses the claim, and has a node. `byHand`: no driver is needed on that node. */
export function consumerStep(claim: V1PersistentVolumeClaim, facts: ClaimFacts, byHand: boolean): Step {
  const pods = valueIn(facts.pods);
  const object = `PersistentVolumeClaim ${refKey(facts.ref)}`;
  const selected = claim.metadata?.annotations?.[wellKnownAnnotation.selectedNode];
  if (selected !== undefined && facts.selectedNode) {
    return nodeStep(
      facts.selectedNode,
      { object, field: `metadata.annotations[${wellKnownAnnotation.selectedNode}]`, value: selected },
      facts,
      byHand,
    );
  }
  const created = claim.metadata?.creationTimestamp;
  if (!pods)
    return step(
      "waiting",
      "the class waits for the first pod that uses the claim, and for its node",
      [],
      "look whether a pod uses the claim",
    );
  const [first] = pods;
  if (!first) {
    return step(
      "waiting",
      "no pod uses the claim, and its class makes volumes only when one does",
      [{ object, field: "status.phase", value: "Pending", ...(created && { since: created }) }],
      "create a pod that uses the claim; if volumes are wanted earlier, use a class with volumeBindingMode: Immediate",
    );
  }
  return givenBack(facts) ?? pods.map(unscheduled).find((found) => found !== undefined) ?? waitsForScheduler(pods);
}

/** The driver refused the node that was chosen, and the choice was taken back. */
function givenBack({ events, actor }: ClaimFacts): Step | undefined {
  const last = newest(events.filter(isFromSidecar), "Provisioning", "ProvisioningFailed", "ProvisioningSucceeded");
  if (last?.reason !== "ProvisioningFailed") return undefined;
  const { code, meaning, remedy } = translate("create", last.message ?? "");
  return step(
    "failed",
    `${actor?.driver ?? "the driver"} could not make the volume for the node that was chosen, and the scheduler has to choose another one: ${meaning}${code ? ` (${code})` : ""}`,
    [eventEvidence(last)],
    remedy,
  );
}

function unscheduled(pod: V1Pod): Step | undefined {
  const object = `Pod ${keyOf(pod)}`;
  if (pod.spec?.nodeName) {
    return step(
      "failed",
      `pod ${keyOf(pod)} names its node itself, so the scheduler never chooses one for the claim`,
      [{ object, field: "spec.nodeName", value: pod.spec.nodeName }],
      "use nodeSelector or affinity in place of spec.nodeName, or a class with volumeBindingMode: Immediate",
    );
  }
  const condition = pod.status?.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (!condition) return undefined;
  const evidence: Evidence = {
    object,
    field: "status.conditions[PodScheduled]",
    value: plain(condition.message || condition.reason || "False"),
    ...(condition.lastTransitionTime && { since: condition.lastTransitionTime }),
  };
  return condition.reason === "SchedulingGated"
    ? step("waiting", `pod ${keyOf(pod)} is held back by its scheduling gates`, [evidence], "remove the gates from spec.schedulingGates")
    : step(
        "waiting",
        `pod ${keyOf(pod)} fits on no node: ${evidence.value}`,
        [evidence],
        /enough free storage/.test(evidence.value)
          ? "the driver reports too little room where the pod may run (kubectl get csistoragecapacities -A): free or add capacity, or ask for less"
          : "make room for the pod or loosen what it asks of nodes",
      );
}

function waitsForScheduler(pods: readonly V1Pod[]): Step {
  return step(
    "waiting",
    `the scheduler has yet to choose a node for ${listed(pods.map((pod) => `pod ${keyOf(pod)}`))}`,
    pods.slice(0, 3).map((pod): Evidence => ({ object: `Pod ${keyOf(pod)}`, field: "spec.nodeName", value: "not set" })),
    "if it lasts, look at the events of the pod, and whether kube-scheduler runs",
  );
}

function nodeStep({ name, node, csiNode }: NodeFacts, evidence: Evidence, { actor }: ClaimFacts, byHand: boolean): Step {
  if (node.state === "missing") {
    return step(
      "failed",
      `node ${name} was chosen for the claim, and does not exist any more`,
      [evidence, { object: `Node ${name}`, field: "metadata.name", value: "not found" }],
      `delete the pod so that it is scheduled anew; if the claim stays so, remove its annotation ${wellKnownAnnotation.selectedNode}`,
    );
  }
  const registered = valueIn(csiNode)?.spec?.drivers?.some((driver) => driver.name === actor?.driver);
  if (!byHand && actor && (csiNode.state === "missing" || registered === false)) {
    return step(
      "waiting",
      `node ${name} was chosen for the claim, but driver ${actor.driver} is not registered there`,
      [evidence, { object: `CSINode ${name}`, field: "spec.drivers", value: `without ${actor.driver}` }],
      `look whether the driver's node pod runs on ${name} and its registrar succeeded`,
    );
  }
  return step("done", `a pod uses the claim, on node ${name}`, [evidence]);
}
