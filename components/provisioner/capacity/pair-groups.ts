import type { DesiredPair } from "./desired-pairs.ts";
import type { PairKey } from "./pair.ts";

/** The desired pairs by class and by place: a volume that came or went finds its pairs without a walk over all of them. */
export interface PairGroups {
  ofClass(name: string): readonly PairKey[];
  /** By {@link termId}. */
  ofPlace(id: string): readonly PairKey[];
}

export function pairGroups(pairs: ReadonlyMap<PairKey, DesiredPair>): PairGroups {
  const classes = new Map<string, PairKey[]>();
  const places = new Map<string, PairKey[]>();
  for (const [key, { className, termId }] of pairs) {
    member(classes, className).push(key);
    member(places, termId).push(key);
  }
  return { ofClass: (name) => classes.get(name) ?? [], ofPlace: (id) => places.get(id) ?? [] };
}

function member(groups: Map<string, PairKey[]>, name: string): PairKey[] {
  const known = groups.get(name) ?? [];
  groups.set(name, known);
  return known;
}
