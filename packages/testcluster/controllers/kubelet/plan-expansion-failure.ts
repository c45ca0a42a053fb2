import type { Claim } from "../fields.ts";

/** `infeasible`: the driver will never do it, so the resizer may turn to a size the user corrected. `failed`: it is tried again. */
export interface NodeExpansionFailure {
  readonly result: "failed" | "infeasible";
  readonly message: string;
}

/** The patch of the claim's status after the node's half of an expansion failed; an error already told is not told again. */
export function planExpansionFailure({ status = {} }: Claim, { result, message }: NodeExpansionFailure, now: number): object {
  const conditions = status.conditions ?? [];
  const told = conditions.some((condition) => condition.type === "NodeResizeError" && condition.status === "True");
  const time = new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
  const condition = { type: "NodeResizeError", status: "True", lastTransitionTime: time, message: `failed to expand pvc with ${message}` };
  return {
    status: {
      ...(result === "infeasible" && { allocatedResourceStatuses: { storage: "NodeResizeInfeasible" } }),
      ...(!told && { conditions: [...conditions.filter(({ type }) => type !== "NodeResizeError"), condition] }),
    },
  };
}
