import { metav1Time, type V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { annotation } from "../annotations.ts";
import { sizeOf, storageSize } from "../claims.ts";
import type { Volume } from "../fields.ts";
import type { NodeExpansionFailure } from "./expansion-failure.ts";

export type NodeExpansionPlan =
  /** It is the resizer's turn. */
  | { readonly step: "none" }
  /** The claim shows the size already: the node has nothing to add. */
  | { readonly step: "assume"; readonly size: string }
  | {
      readonly step: "expand";
      readonly size: string;
      /** A resizer without recovery: the claim has neither `allocatedResources` nor a state, and gets none. */
      readonly recovery: boolean;
      /** Another node was first: the claim is not written. */
      readonly finished: boolean;
      /** The user has asked for another size since, and the resizer can only turn to it once this one is given up. */
      readonly infeasibleOnFailure: boolean;
    };

/**
 * The node expansion of a claim whose volume is larger than it was when the node mounted it. `failedBefore`: an attempt on this node has
 * ended with an error.
 */
export function planNodeExpansion(
  { metadata, spec, status = {} }: V1PersistentVolumeClaim,
  volume: Volume,
  failedBefore: boolean,
): NodeExpansionPlan {
  const state = status.allocatedResourceStatuses?.storage;
  const recovery = state !== undefined || status.allocatedResources !== undefined;
  const size = String((recovery && status.allocatedResources?.storage) || (volume.spec?.capacity?.storage ?? ""));
  const reached = storageSize(status.capacity) >= sizeOf(size);
  if (!recovery) return { step: "expand", size, recovery, finished: reached, infeasibleOnFailure: false };
  const infeasibleOnFailure = failedBefore && storageSize(spec?.resources?.requests) !== sizeOf(size);
  const finished = reached && state === undefined;
  // A volume on several nodes is expanded on each of them, unless the driver needs none of that.
  const everywhere = (spec?.accessModes ?? []).includes("ReadWriteMany") && !metadata?.annotations?.[annotation.nodeExpansionNotRequired];
  if (finished && !everywhere) return { step: "assume", size };
  if (!finished && state !== "NodeResizePending" && state !== "NodeResizeInProgress") return { step: "none" };
  return { step: "expand", size, recovery, finished, infeasibleOnFailure };
}

/** The status patch before the driver is called. */
export const expansionBegun = { status: { allocatedResourceStatuses: { storage: "NodeResizeInProgress" } } };

const resizeConditions: ReadonlySet<string> = new Set(["FileSystemResizePending", "Resizing", "ControllerResizeError", "NodeResizeError"]);

/** The strategic merge patch of a claim whose volume has reached the size. `allocatedResources` stay. */
export function expansionFinished({ status = {} }: V1PersistentVolumeClaim, size: string): object {
  const states = status.allocatedResourceStatuses;
  const over = (status.conditions ?? []).filter(({ type }) => resizeConditions.has(type));
  return {
    status: {
      capacity: { storage: size },
      ...(states && { allocatedResourceStatuses: Object.keys(states).length > 1 ? { storage: null } : null }),
      ...(over.length > 0 && { conditions: over.map(({ type }) => ({ $patch: "delete", type })) }),
    },
  };
}

/** The strategic merge patch after a failure. A condition that is set already keeps its first message and time. */
export function expansionFailed(
  { status = {} }: V1PersistentVolumeClaim,
  { message }: NodeExpansionFailure,
  { infeasible, now }: { readonly infeasible: boolean; readonly now: number },
): object {
  const told = (status.conditions ?? []).some(({ type, status: now }) => type === "NodeResizeError" && now === "True");
  const lastTransitionTime = metav1Time(now);
  return {
    status: {
      ...(infeasible && { allocatedResourceStatuses: { storage: "NodeResizeInfeasible" } }),
      ...(!told && {
        conditions: [{ type: "NodeResizeError", status: "True", lastTransitionTime, message: `failed to expand pvc with ${message}` }],
      }),
    },
  };
}
