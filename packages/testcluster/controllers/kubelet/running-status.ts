import type { ClusterPod } from "../fields.ts";

/** The status of a pod whose containers have all started. */
export function runningStatus({ spec }: ClusterPod, now: number): object {
  const time = new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
  const conditions = ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
    type,
    status: "True",
    lastTransitionTime: time,
  }));
  const containerStatuses = (spec?.containers ?? []).map(({ name, image = "" }) => ({
    ...{ name, image, imageID: "", ready: true, started: true, restartCount: 0 },
    state: { running: { startedAt: time } },
  }));
  return { status: { phase: "Running", startTime: time, conditions, containerStatuses } };
}
