import { type NodeAffinity, termOfSelector } from "../topology/node-affinity.ts";
import { termId } from "../topology/term.ts";
import type { DesiredPair } from "./desired-pairs.ts";

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
export function concernedPairs({ className, nodeAffinity }: VolumeChange): {
  readonly concerns: (pair: DesiredPair) => boolean;
  readonly skipped: readonly string[];
} {
  const terms = nodeAffinity?.required?.nodeSelectorTerms;
  if (!terms) return { concerns: (pair) => pair.className === className, skipped: [] };
  const places = new Set<string>();
  const skipped: string[] = [];
  for (const selector of terms) {
    const term = termOfSelector(selector);
    if ("error" in term) skipped.push(term.error);
    else places.add(termId(term));
  }
  return { concerns: (pair) => places.has(pair.termId), skipped };
}
