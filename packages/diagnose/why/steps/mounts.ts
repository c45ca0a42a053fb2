import { keyOf, type V1Pod } from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import { plain } from "../../text.ts";
import { eventEvidence, newest } from "../events.ts";
import { type Step, step } from "../explanation.ts";
import type { ObservedPod } from "../gather/observed.ts";
import { explainAttachment } from "./attachment.ts";
import { ifNodeIsDead, isAbout } from "./unattached.ts";
import { unreadStep } from "./unread-step.ts";

const mountFailures = ["FailedAttachVolume", "FailedMount", "FailedMapVolume"];
/** What the kubelet reports only when all volumes are mounted. */
const afterMounts = ["FailedCreatePodSandBox", "SandboxChanged", "Pulling", "Pulled", "Created", "Started", "Failed", "BackOff"];
/** What containers wait for before their volumes are mounted, and for a while after it. */
const beforeStart = ["ContainerCreating", "PodInitializing"];

/** What the kubelet and the attach-detach controller report as failed about a pod that has not started. */
export function failedMountSteps(observed: ObservedPod): readonly Step[] {
  const event = foundIn(observed.pod)?.status?.phase === "Pending" ? newest(observed.events, ...mountFailures, ...afterMounts) : undefined;
  if (!event || !mountFailures.includes(event.reason ?? "")) return [];
  const message = plain(event.message ?? "");
  if (event.reason !== "FailedAttachVolume") {
    return [step("failed", `mounting failed: ${message}`, [eventEvidence(event)], "check the log of the driver's node pod on that node")];
  }
  if (waitingVolumes(observed).some((volume) => isAbout(event, volume))) return [];
  return [step("failed", `attaching failed: ${message}`, [eventEvidence(event)], attachRemedy(message))];
}

/** Volumes whose own steps say why they are not attached. */
function waitingVolumes({ attachments, unattached }: ObservedPod): readonly string[] {
  const waiting = attachments.filter((each) => explainAttachment(each).state !== "done");
  return [
    ...waiting.flatMap(({ attachment }) => foundIn(attachment)?.spec.source.persistentVolumeName ?? []),
    ...unattached.map(({ volume }) => volume),
  ];
}

const attachRemedy = (message: string) =>
  message.startsWith("Multi-Attach")
    ? `stop the pod that uses the volume on the other node; ${ifNodeIsDead}`
    : "see the VolumeAttachment of the volume (kubectl get volumeattachments), and the log of the driver's attacher";

/** What a pod waits for whose volumes nothing else is wrong with: a mount that hangs is reported late, and only by the kubelet. */
export function awaitedMountSteps({ pod: lookup, claims, events, unreadEvents, unreadAttachments }: ObservedPod): readonly Step[] {
  const pod = foundIn(lookup);
  if (!pod || claims.length === 0 || pod.status?.phase !== "Pending" || isMounted(pod) || newest(events, ...afterMounts)) return [];
  const object = `Pod ${keyOf(pod)}`;
  const node = pod.spec?.nodeName;
  const unattached = `whether the pod's volumes are attached to node ${node} could not be read`;
  const unreported = "the kubelet may have reported why the pod has not started, but its events could not be read";
  const unread = [
    ...(unreadAttachments === undefined ? [] : [unreadStep(unreadAttachments, unattached, object, "VolumeAttachments")]),
    ...(unreadEvents === undefined ? [] : [unreadStep(unreadEvents, unreported, object)]),
  ];
  if (unread.length > 0 || !node) return unread;
  const since = pod.status.conditions?.find(({ type, status }) => type === "PodScheduled" && status === "True")?.lastTransitionTime;
  return [
    step(
      "waiting",
      `the kubelet on ${node} has not reported that the pod's volumes are mounted yet`,
      [{ object, field: "spec.nodeName", value: node, ...(since && { since }) }],
      `if it stays so, check the log of the driver's node pod on ${node}, and that of the kubelet there`,
    ),
  ];
}

/** Whether the pod's own status tells that the kubelet is past the mounts. */
function isMounted({ status }: V1Pod): boolean {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const isPast = ({ running, terminated, waiting }: NonNullable<(typeof containers)[number]["state"]>) =>
    running !== undefined || terminated !== undefined || (waiting?.reason !== undefined && !beforeStart.includes(waiting.reason));
  return (
    containers.some(({ state }) => state && isPast(state)) ||
    (status?.conditions ?? []).some((each) => each.type === "PodReadyToStartContainers" && each.status === "True")
  );
}
