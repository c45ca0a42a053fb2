import { type CachedOf, fields, StorageClass } from "@csi-sidecars/kube";
import { type Term, termId } from "../topology/term.ts";
import { type Pair, type PairKey, pairKey } from "./pair.ts";

/** What is read of classes. */
export const capacityClassFields = fields(StorageClass, { provisioner: true, parameters: true, volumeBindingMode: true });
export type CapacityClass = CachedOf<typeof capacityClassFields>;

/** A pair that is to have an object, with what GetCapacity needs to know of it. */
export interface DesiredPair extends Pair {
  readonly termId: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Changes when another answer is to be expected. */
  readonly version: string;
}

export interface PairFilter {
  readonly driver: string;
  /** Whether classes with immediate binding count: nobody schedules by them. */
  readonly immediateBinding: boolean;
}

/** All pairs that are to have an object: the driver's classes times its places. */
export function desiredPairs(
  classes: readonly CapacityClass[],
  terms: readonly Term[],
  { driver, immediateBinding }: PairFilter,
): Map<PairKey, DesiredPair> {
  const desired = new Map<PairKey, DesiredPair>();
  const ids = terms.map((term) => [term, termId(term)] as const);
  for (const { metadata, provisioner, parameters = {}, volumeBindingMode } of classes) {
    if (provisioner !== driver || (volumeBindingMode === "Immediate" && !immediateBinding)) continue;
    const version = JSON.stringify([metadata.uid, parameters]);
    for (const [term, id] of ids) {
      const pair = { className: metadata.name, term };
      desired.set(pairKey(pair), { ...pair, termId: id, parameters, version });
    }
  }
  return desired;
}
