import { parseQuantity } from "@csi-sidecars/base";
import { annotation } from "../annotations.ts";
import { sizeOf, storageSize } from "../claims.ts";
import type { Claim, Volume } from "../fields.ts";
import type { PlannedEvent } from "../runtime/cluster-controller.ts";

type Pair = "claim" | "volume";

/** A JSON merge patch of one object. The version the plan was made from is added when it is sent. */
export interface PlannedPatch<Target extends Pair = Pair> {
  readonly target: Target;
  readonly part: "object" | "status";
  readonly patch: object;
}

/** The plan for a claim or a volume: patches in this order, then events. */
export interface BinderPlan {
  /** The volume of a plan for a claim. */
  readonly volume?: Volume;
  readonly patches: readonly PlannedPatch[];
  readonly events: readonly (PlannedEvent & { readonly about: Pair })[];
}

export const nothing: BinderPlan = { patches: [], events: [] };

/** The status of a claim without a volume. */
export function planUnboundStatus({ status = {} }: Claim, phase: "Pending" | "Lost"): PlannedPatch<"claim">[] {
  const { accessModes, capacity, currentVolumeAttributesClassName } = status;
  const patch = {
    ...(status.phase !== phase && { phase }),
    ...(accessModes !== undefined && { accessModes: null }),
    ...(capacity !== undefined && { capacity: null }),
    ...(currentVolumeAttributesClassName !== undefined && { currentVolumeAttributesClassName: null }),
  };
  return statusPatch(patch);
}

/**
 * The status of a claim that is bound to the volume. Capacity and attributes class are only copied when the claim becomes
 * bound: later a difference means a resize or modification in progress, which is not the binder's.
 */
export function planBoundStatus({ status = {} }: Claim, volume: Volume): PlannedPatch<"claim">[] {
  const becomes = status.phase !== "Bound";
  const modes = volume.spec?.accessModes ?? [];
  const attributesClass = volume.spec?.volumeAttributesClassName;
  const differs = attributesClass !== status.currentVolumeAttributesClassName;
  return statusPatch({
    ...(becomes && { phase: "Bound" }),
    ...(modes.join() !== (status.accessModes ?? []).join() && { accessModes: modes }),
    ...(becomes && capacityPatch(status.capacity, volume)),
    ...(status.phase === "Pending" && differs && { currentVolumeAttributesClassName: attributesClass ?? null }),
  });
}

/** A volume whose expansion was not finished on a node has the size before it. */
function capacityPatch(present: Readonly<Record<string, string | number>> | undefined, volume: Volume): object {
  const capacity = volume.spec?.capacity;
  const before = volume.metadata.annotations?.[annotation.preResizeCapacity];
  if (before !== undefined) return { capacity: { storage: isQuantity(before) ? before : capacity?.storage } };
  const same = present?.storage !== undefined && sizeOf(present.storage) === storageSize(capacity);
  return same ? {} : { capacity };
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

function statusPatch(status: object): PlannedPatch<"claim">[] {
  return Object.keys(status).length === 0 ? [] : [{ target: "claim", part: "status", patch: { status } }];
}

type Phase = "Available" | "Bound" | "Released" | "Failed";

export function phasePatch({ status }: Volume, phase: Phase): PlannedPatch[] {
  return status?.phase === phase ? [] : [{ target: "volume", part: "status", patch: { status: { phase, message: null } } }];
}
