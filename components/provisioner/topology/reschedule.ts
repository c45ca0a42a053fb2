import { Code } from "@csi-sidecars/csi";
import type { TopologyProblem } from "./requirement.ts";

/** How long a node may be without the driver, or a registration without its node, before another node is asked for. */
export const rescheduleGraceMs = 30_000;

export interface ProblemState {
  /** A CreateVolume call for the claim may be running: then it must be finished where it was begun. */
  readonly inProgress: boolean;
  /** Since when the claim has had this problem with this node. */
  readonly lastingMs: number;
}

/** Whether the scheduler should choose another node because the selected one has no usable topology. */
export function reschedulesForProblem(
  problem: TopologyProblem,
  { inProgress, lastingMs }: ProblemState,
  graceMs = rescheduleGraceMs,
): boolean {
  if (inProgress) return false;
  switch (problem) {
    case "no-csinode":
      return true;
    case "not-registered":
    case "node-gone":
      return lastingMs >= graceMs;
    case "no-keys":
    case "labels-missing":
    case "not-allowed":
    case "bad-key":
    case "no-places":
      return false;
  }
}

/** Whether the scheduler should choose another node because the driver has no room where it was asked. */
export function reschedulesForCode(code: number, topology: boolean, selectedNode: string | undefined): boolean {
  return code === Code.ResourceExhausted && topology && !!selectedNode;
}
