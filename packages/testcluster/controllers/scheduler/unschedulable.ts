import { metav1Time } from "@csi-sidecars/kube";
import type { ClusterPod } from "../fields.ts";

/** Why a node is filtered out, in kube-scheduler's words. */
export const filterReason = {
  cordoned: "node(s) were unschedulable",
  tainted: "node(s) had untolerated taint(s)",
  notSelected: "node(s) didn't match Pod's node affinity/selector",
  inUse: "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
  tooMany: "node(s) exceed max volume count",
  volumeElsewhere: "node(s) didn't match PersistentVolume's node affinity",
  volumeGone: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
  noVolume: "node(s) didn't find available persistent volumes to bind",
  noRoom: "node(s) did not have enough free storage",
  noDriver: (driver: string) => `${driver} CSI driver is not installed on the node`,
} as const;

const available = (nodes: number) => `0/${nodes} nodes are available:`;

const unhelpful = "Preemption is not helpful for scheduling";
const noVictims = "No preemption victims found for incoming pod";
/** Reasons that preemption could resolve. */
const helped: readonly string[] = [filterReason.inUse, filterReason.tooMany];

/** kube-scheduler appends the result of preemption; people search for the whole message. */
const withPreemption = (sentence: string, hints: readonly string[]) =>
  `${sentence} preemption: ${available(hints.length)} ${counted(hints)}.`;

/** The message where the pod itself is the reason. */
export const becauseOfPod = (reason: string, nodes: number): string =>
  withPreemption(`${available(nodes)} ${reason}.`, Array<string>(nodes).fill(unhelpful));

/** The message where each node has its reason. */
export function becauseOfNodes(reasons: readonly string[]): string {
  if (reasons.length === 0) return "no nodes available to schedule pods";
  const hints = reasons.map((reason) => (helped.includes(reason) ? noVictims : unhelpful));
  return withPreemption(`${available(reasons.length)} ${counted(reasons)}.`, hints);
}

/** `1 reason, 2 another one`, sorted. */
function counted(reasons: readonly string[]): string {
  const groups = Map.groupBy(reasons, (reason) => reason);
  return [...groups]
    .map(([reason, { length }]) => `${length} ${reason}`)
    .sort()
    .join(", ");
}

/** The PodScheduled condition with the reason; `undefined` if it is set already. */
export function unscheduledStatus({ status }: ClusterPod, message: string, now: number): object | undefined {
  const conditions = status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === "PodScheduled");
  if (before?.status === "False" && before.reason === "Unschedulable" && before.message === message) return undefined;
  const since = before?.status === "False" ? before.lastTransitionTime : undefined;
  const after = {
    ...{ type: "PodScheduled", status: "False", reason: "Unschedulable", message },
    ...{ lastProbeTime: null, lastTransitionTime: since ?? metav1Time(now) },
  };
  return { status: { conditions: [...conditions.filter((it) => it !== before), after] } };
}
