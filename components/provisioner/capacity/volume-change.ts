import { type NodeAffinity, termOfSelector } from "../topology/node-affinity.ts";
import { termId } from "../topology/term.ts";
import type { PairKey } from "./pair.ts";
import type { PairGroups } from "./pair-groups.ts";

/** A volume that was created, may have been created, or was deleted: how much room there is has changed. */
export interface VolumeChange {
  readonly className?: string | undefined;
  /** Of the PersistentVolume; absent where none is known. */
  readonly nodeAffinity?: NodeAffinity | undefined;
}

/**
 * Which pairs the change concerns: all classes in the volume's places, else all places of its class. A place must be the pair's exactly;
 * `skipped` says which terms name none.
 */
export function concernedPairs(
  { className, nodeAffinity }: VolumeChange,
  groups: PairGroups,
): { readonly keys: readonly PairKey[]; readonly skipped: readonly string[] } {
  const selectors = nodeAffinity?.required?.nodeSelectorTerms;
  if (!selectors) return { keys: className === undefined ? [] : groups.ofClass(className), skipped: [] };
  const terms = selectors.map(termOfSelector);
  const places = new Set(terms.flatMap((term) => ("error" in term ? [] : [termId(term)])));
  return {
    keys: [...places].flatMap((place) => groups.ofPlace(place)),
    skipped: terms.flatMap((term) => ("error" in term ? [term.error] : [])),
  };
}
