import type { V1Pod } from "@csi-sidecars/kube";

export type PodState = "ready" | "pending" | "failed" | "terminating";

/** A pod in one of the states that the controllers tell apart. */
export function podOf(name: string, state: PodState, labels: Record<string, string> = {}): V1Pod {
  const running = state === "ready" || state === "terminating";
  return {
    metadata: { name, labels, ...(state === "terminating" && { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
    spec: { containers: [], nodeName: "n1" },
    status: {
      phase: running ? "Running" : state === "failed" ? "Failed" : "Pending",
      conditions: [{ type: "Ready", status: running ? "True" : "False" }],
    },
  };
}
