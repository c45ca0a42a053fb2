import { keyOf, refKey, type V1Pod } from "@csi-sidecars/kube";
import { eventEvidence, newest } from "./events.ts";
import { explainAttachment } from "./explain-attachment.ts";
import { explainClaim } from "./explain-claim.ts";
import { type Evidence, type Explanation, explanation, notFound, type Step, step } from "./explanation.ts";
import type { PodFacts } from "./facts.ts";
import { valueIn } from "./look.ts";
import { listed, plain } from "./plain-text.ts";

/** Which volume a pod waits for. What is done is said in one line; what is not, in all its steps. */
export function explainPod(facts: PodFacts): Explanation {
  const subject = `Pod ${refKey(facts.ref)}`;
  const pod = valueIn(facts.pod);
  if (!pod) return notFound(subject, facts.pod.state, facts.unseen);
  const parts = [...facts.claims.map((claim) => explainUsedClaim(pod, claim)), ...facts.attachments.map(explainAttachment)];
  const steps = [
    ...parts.flatMap(stepsOf),
    ...facts.unattached.map((each) => unattached(each, pod.spec?.nodeName ?? "")),
    ...mountSteps(facts),
    ...scheduling(facts),
  ];
  const otherwise =
    parts.length === 0 ? "nothing is waiting: the pod uses no claims" : "nothing is waiting: the pod's volumes are bound and attached";
  return explanation(subject, steps, facts.unseen, otherwise);
}

/** A claim that a pod names need not be there. */
function explainUsedClaim({ metadata, spec }: V1Pod, facts: PodFacts["claims"][number]): Explanation {
  const answer = explainClaim(facts);
  if (facts.claim.state !== "missing") return answer;
  const isEphemeral = spec?.volumes?.some(({ name, ephemeral }) => ephemeral && facts.ref.name === `${metadata?.name}-${name}`);
  const remedy = isEphemeral
    ? "kube-controller-manager makes it for the pod: look whether it runs, and at the events of the pod"
    : `create claim ${refKey(facts.ref)}, or name another one in the volumes of the pod`;
  return { ...answer, steps: answer.steps.map((each) => ({ ...each, remedy })) };
}

function stepsOf({ subject, state, summary, steps }: Explanation): readonly Step[] {
  if (state === "done") return [step("done", `${subject}: ${summary}`)];
  return steps.map((each) => ({ ...each, what: `${subject}: ${each.what}` }));
}

function unattached({ volume, elsewhere }: PodFacts["unattached"][number], node: string): Step {
  const object = `PersistentVolume ${volume}`;
  if (elsewhere.length > 0) {
    return step(
      "waiting",
      `volume ${volume} has to be attached to node ${node}, and is still attached to ${listed(elsewhere)}`,
      [{ object, field: "VolumeAttachment", value: elsewhere.join(", ") }],
      "stop the pod that uses it there; if that node is dead, take it out of service (taint node.kubernetes.io/out-of-service) or delete it",
    );
  }
  return step(
    "waiting",
    `volume ${volume} has to be attached to node ${node}, and nobody has asked for that yet`,
    [{ object, field: "VolumeAttachment", value: "none" }],
    "if it stays so, look whether kube-controller-manager runs",
  );
}

const mountFailures = ["FailedAttachVolume", "FailedMount", "FailedMapVolume"];
/** What the kubelet does only when all volumes are mounted. */
const afterMounts = ["Pulling", "Pulled", "Created", "Started"];

/** What the kubelet and the attach controller say of a pod that has not started. */
function mountSteps({ pod: look, events }: PodFacts): readonly Step[] {
  const event = valueIn(look)?.status?.phase === "Pending" ? newest(events, ...mountFailures, ...afterMounts) : undefined;
  if (!event || !mountFailures.includes(event.reason ?? "")) return [];
  const doing = event.reason === "FailedAttachVolume" ? "attaching" : "mounting";
  const remedy = doing === "mounting" ? "read the log of the driver's node pod on that node" : "see the steps above";
  return [step("failed", `${doing} failed: ${plain(event.message ?? "")}`, [eventEvidence(event)], remedy)];
}

/** A pod without node that waits for something else than its claims. */
function scheduling({ pod: look, events }: PodFacts): readonly Step[] {
  const pod = valueIn(look);
  if (!pod || pod.spec?.nodeName || (pod.status?.phase ?? "Pending") !== "Pending") return [];
  const object = `Pod ${keyOf(pod)}`;
  const condition = pod.status?.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (condition) {
    const value = plain(condition.message || condition.reason || "False");
    const since = condition.lastTransitionTime;
    return [noNode(value, { object, field: "status.conditions[PodScheduled]", value, ...(since && { since }) })];
  }
  const event = newest(events, "FailedScheduling");
  if (event) return [noNode(plain(event.message ?? ""), eventEvidence(event))];
  return [
    step(
      "waiting",
      "the scheduler has yet to choose a node for the pod",
      [{ object, field: "spec.nodeName", value: "not set" }],
      "if it stays so, look whether the scheduler that spec.schedulerName names runs",
    ),
  ];
}

const noNode = (because: string, evidence: Evidence): Step => step("waiting", `the pod has no node: ${because}`, [evidence]);
