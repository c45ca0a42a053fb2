import { keyOf, refKey, type V1Pod } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { plain } from "../../text.ts";
import { eventEvidence, lastSeen, newest } from "../events.ts";
import { type Explanation, explanation, notFound, type Step, step } from "../explanation.ts";
import type { ObservedPod } from "../gather/observed.ts";
import { explainAttachment } from "./attachment.ts";
import { explainClaim } from "./claim.ts";
import { podScheduled, withoutNode } from "./first-consumer.ts";
import { awaitedMountSteps, failedMountSteps } from "./mounts.ts";
import { unattachedStep } from "./unattached.ts";

/** Which volume a pod waits for. A claim or attachment that is done takes one line, one that is not shows all its steps. */
export function explainPod(observed: ObservedPod): Explanation {
  const subject = `Pod ${refKey(observed.ref)}`;
  const pod = foundIn(observed.pod);
  if (!pod) return notFound(subject, observed.pod, observed.notes);
  const parts = [
    ...observed.claims.map((claim) => ({ answer: explainUsedClaim(pod, claim), holdsUp: !isBound(claim) })),
    ...observed.attachments.map((each) => ({ answer: explainAttachment(each), holdsUp: true })),
  ];
  const stepsOfParts = (wanted: typeof parts) =>
    wanted.flatMap(({ answer }) => stepsOf(answer)).filter((each) => !isAboutScheduling(each, pod));
  const own = [
    ...observed.unattached.map((each) => unattachedStep(each, pod.spec?.nodeName ?? "", observed.events)),
    ...failedMountSteps(observed),
    ...kubeletReport(observed),
    ...scheduling(observed),
  ];
  const isOpen = ({ state }: Step) => state !== "done";
  const known = [...stepsOfParts(parts.filter(({ holdsUp }) => holdsUp)), ...own];
  const awaited = known.some(isOpen) ? [] : awaitedMountSteps(observed);
  const holdUp = [...known, ...awaited];
  const steps = [...stepsOfParts(parts), ...own, ...awaited];
  const otherwise =
    parts.length === 0 ? "nothing is waiting: the pod uses no claims" : "nothing is waiting: the pod's volumes are bound and attached";
  // What else is wrong with a volume says less than what holds up the pod.
  return { ...explanation(subject, holdUp.some(isOpen) ? holdUp : steps, observed.notes, otherwise), steps };
}

const isBound = ({ claim }: ObservedPod["claims"][number]) => foundIn(claim)?.status?.phase === "Bound";

/** A claim that a pod names may not exist. */
function explainUsedClaim({ metadata, spec }: V1Pod, observed: ObservedPod["claims"][number]): Explanation {
  const answer = explainClaim(observed);
  if (observed.claim.state !== "missing") return answer;
  const isEphemeral = spec?.volumes?.some(({ name, ephemeral }) => ephemeral && observed.ref.name === `${metadata?.name}-${name}`);
  const remedy = isEphemeral
    ? "kube-controller-manager creates it for the pod: check that it runs, and the events of the pod"
    : `create claim ${refKey(observed.ref)}, or name another one in the volumes of the pod`;
  return { ...answer, steps: answer.steps.map((each) => ({ ...each, remedy })) };
}

function stepsOf({ subject, state, summary, steps }: Explanation): readonly Step[] {
  if (state === "done") return [step("done", `${subject}: ${summary}`)];
  return steps.map((each) => ({ ...each, what: `${subject}: ${each.what}` }));
}

/** Claims that wait for the pod's node would tell what the scheduler says of the pod once more each. */
function isAboutScheduling({ state, evidence }: Step, pod: V1Pod): boolean {
  return state === "waiting" && evidence.some(({ object, field }) => object === `Pod ${keyOf(pod)}` && field === podScheduled);
}

/** The kubelet reports an abnormal volume every few minutes, and does not tell when it is healthy again. */
const kubeletReportsWithinMs = 10 * 60_000;

/** What the node service of the driver says of a volume of the pod, where the kubelet asks it (feature gate CSIVolumeHealth). */
function kubeletReport({ events, now }: ObservedPod): readonly Step[] {
  const event = newest(events, "VolumeConditionAbnormal");
  if (!event || now - lastSeen(event) > kubeletReportsWithinMs) return [];
  const what = `the driver reports on the pod's node that a volume is abnormal: ${plain(event.message ?? "")}`;
  return [step("failed", what, [eventEvidence(event)], "check the log of the driver's node pod on that node, and the storage")];
}

/** A pod that is not scheduled, for its claims or for another reason. */
function scheduling({ pod: lookup, events, claims }: ObservedPod): readonly Step[] {
  const pod = foundIn(lookup);
  if (!pod || pod.spec?.nodeName || (pod.status?.phase ?? "Pending") !== "Pending") return [];
  const object = `Pod ${keyOf(pod)}`;
  const unbound = claims.filter((claim) => !isBound(claim));
  const condition = pod.status?.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (condition) {
    const value = plain(condition.message || condition.reason || "False");
    const since = condition.lastTransitionTime;
    return [withoutNode("the pod", { object, field: podScheduled, value, ...(since && { since }) }, condition.reason, unbound)];
  }
  const event = newest(events, "FailedScheduling");
  if (event) return [withoutNode("the pod", eventEvidence(event), undefined, unbound)];
  return [
    step(
      "waiting",
      "the scheduler has not selected a node for the pod yet",
      [{ object, field: "spec.nodeName", value: "not set" }],
      "if it stays so, check that the scheduler in spec.schedulerName runs",
    ),
  ];
}
