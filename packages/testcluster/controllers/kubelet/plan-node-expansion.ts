import { metav1Time } from "@csi-sidecars/kube";
import { sizeOf, storageSize } from "../claims.ts";
import type { Claim, Volume } from "../fields.ts";

type NodeExpansionPlan =
  | { readonly step: "none" }
  /** `begin` is stored before the driver is called, `finish` after it: both are patches of the claim's status. */
  | { readonly step: "expand"; readonly size: string; readonly begin?: object; readonly finish: object };

const resizeConditions: ReadonlySet<string> = new Set(["FileSystemResizePending", "Resizing", "ControllerResizeError", "NodeResizeError"]);

/** The node expansion of a claim whose volume is mounted. */
export function planNodeExpansion({ status = {} }: Claim, volume: Volume): NodeExpansionPlan {
  const state = status.allocatedResourceStatuses?.storage;
  const { allocatedResources } = status;
  if (state === undefined && allocatedResources === undefined) return planForOldResizer(status, volume);
  if (state !== "NodeResizePending" && state !== "NodeResizeInProgress") return { step: "none" };
  const size = String(allocatedResources?.storage ?? volume.spec?.capacity?.storage ?? "");
  const begin = { status: { allocatedResourceStatuses: { storage: "NodeResizeInProgress" } } };
  const others = Object.keys(status.allocatedResourceStatuses ?? {}).length > 1;
  return {
    step: "expand",
    size,
    ...(state === "NodeResizePending" && { begin }),
    finish: { status: { ...done(status, size), allocatedResourceStatuses: others ? { storage: null } : null } },
  };
}

/** Resizers without `allocatedResources` leave only the condition and a volume that is larger than the claim. */
function planForOldResizer(status: NonNullable<Claim["status"]>, volume: Volume): NodeExpansionPlan {
  const pending = (status.conditions ?? []).some(({ type, status: now }) => type === "FileSystemResizePending" && now === "True");
  const size = volume.spec?.capacity?.storage;
  if (!pending || size === undefined || sizeOf(size) <= storageSize(status.capacity)) return { step: "none" };
  return { step: "expand", size: String(size), finish: { status: done(status, String(size)) } };
}

function done({ conditions }: NonNullable<Claim["status"]>, size: string): object {
  const kept = (conditions ?? []).filter(({ type }) => !resizeConditions.has(type));
  return { capacity: { storage: size }, conditions: kept.length > 0 ? kept : null };
}

/** `infeasible`: the driver will never do it, and the user may request another size. `failed`: it is retried. */
export interface NodeExpansionFailure {
  readonly result: "failed" | "infeasible";
  readonly message: string;
}

/** The status patch after a failed node expansion; a condition that is already set stays. */
export function planExpansionFailure({ status = {} }: Claim, { result, message }: NodeExpansionFailure, now: number): object {
  const conditions = status.conditions ?? [];
  const told = conditions.some((condition) => condition.type === "NodeResizeError" && condition.status === "True");
  const time = metav1Time(now);
  const condition = { type: "NodeResizeError", status: "True", lastTransitionTime: time, message: `failed to expand pvc with ${message}` };
  return {
    status: {
      ...(result === "infeasible" && { allocatedResourceStatuses: { storage: "NodeResizeInfeasible" } }),
      ...(!told && { conditions: [...conditions.filter(({ type }) => type !== "NodeResizeError"), condition] }),
    },
  };
}
