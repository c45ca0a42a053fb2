/** What keeps a pod from a node, in the words of kube-scheduler's filters. */
export const misfit = {
  cordoned: "node(s) were unschedulable",
  tainted: "node(s) had untolerated taint(s)",
  notSelected: "node(s) didn't match Pod's node affinity/selector",
  inUse: "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
  volumeElsewhere: "node(s) didn't match PersistentVolume's node affinity",
  volumeGone: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
  noVolume: "node(s) didn't find available persistent volumes to bind",
  noRoom: "node(s) did not have enough free storage",
  noDriver: (driver: string) => `${driver} CSI driver is not installed on the node`,
} as const;

const available = (nodes: number) => `0/${nodes} nodes are available:`;

/** That nobody was evicted for the pod is said as well: people search for the sentence as a whole. */
const withPreemption = (sentence: string, nodes: number) =>
  `${sentence} preemption: ${available(nodes)} ${nodes} Preemption is not helpful for scheduling.`;

/** The sentence where the pod itself is the reason, on whatever node. */
export const becauseOfPod = (reason: string, nodes: number): string => withPreemption(`${available(nodes)} ${reason}.`, nodes);

/** The sentence where each node has its reason. */
export function becauseOfNodes(reasons: readonly string[]): string {
  const nodes = reasons.length;
  if (nodes === 0) return "no nodes available to schedule pods";
  const counts = Map.groupBy(reasons, (reason) => reason);
  const told = [...counts].map(([reason, { length }]) => `${length} ${reason}`).sort();
  return withPreemption(`${available(nodes)} ${told.join(", ")}.`, nodes);
}
