import type { ClusterPod } from "../fields.ts";

const time = (now: number) => new Date(now).toISOString().replace(/\.\d+Z$/, "Z");

/** The status patch that tells why a pod has no node; `undefined` where it says so already. */
export function unscheduledStatus({ status }: ClusterPod, message: string, now: number): object | undefined {
  const conditions = status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === "PodScheduled");
  if (before?.status === "False" && before.reason === "Unschedulable" && before.message === message) return undefined;
  const since = before?.status === "False" ? before.lastTransitionTime : undefined;
  const after = {
    ...{ type: "PodScheduled", status: "False", reason: "Unschedulable", message },
    ...{ lastProbeTime: null, lastTransitionTime: since ?? time(now) },
  };
  return { status: { conditions: [...conditions.filter((it) => it !== before), after] } };
}
