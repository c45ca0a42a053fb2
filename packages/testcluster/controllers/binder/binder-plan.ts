import type { Volume } from "../fields.ts";
import type { PlannedEvent, PlannedPatch } from "../runtime/plan.ts";

export type Pair = "claim" | "volume";

/** What a look at a claim or a volume asks for: the patches in this order, then the events. */
export interface BinderPlan {
  /** The volume that is meant, for plans made from a claim's side. */
  readonly volume?: Volume;
  readonly patches: readonly PlannedPatch<Pair>[];
  readonly events: readonly PlannedEvent<Pair>[];
}

export const nothing: BinderPlan = { patches: [], events: [] };
