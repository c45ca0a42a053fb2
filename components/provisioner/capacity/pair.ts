import { segmentsOf, sortedTerm, type Term } from "../topology/term.ts";

/** What one object is about: how much of a class there is in a place. */
export interface Pair {
  readonly className: string;
  readonly term: Term;
}

/** A pair as a string: the key of the work queue, so that no pair is worked on twice at a time. */
export type PairKey = string;

/** What identifies an object's pair; the rest of it is not looked at. */
export interface PairObject {
  readonly metadata: { readonly name: string };
  readonly storageClassName: string;
  readonly nodeTopology?:
    | { readonly matchLabels?: Readonly<Record<string, string>> | undefined; readonly matchExpressions?: readonly unknown[] | undefined }
    | undefined;
}

export function pairKey({ className, term }: Pair): PairKey {
  return JSON.stringify([className, ...term.flatMap(({ key, value }) => [key, value])]);
}

/**
 * The key of the pair that an object is about. One that is about no pair (other selectors than labels, no selector) has a key of its own,
 * which nobody wants: so it goes. No labels and empty labels are the same: all nodes.
 */
export function keyOfObject({ metadata, storageClassName, nodeTopology }: PairObject): PairKey {
  if (!nodeTopology || (nodeTopology.matchExpressions?.length ?? 0) > 0) return `?${metadata.name}`;
  const term = sortedTerm(Object.entries(nodeTopology.matchLabels ?? {}).map(([key, value]) => ({ key, value })));
  return pairKey({ className: storageClassName, term });
}

export function nodeTopologyOf(term: Term): { matchLabels?: Record<string, string> } {
  return term.length > 0 ? { matchLabels: segmentsOf(term) } : {};
}
