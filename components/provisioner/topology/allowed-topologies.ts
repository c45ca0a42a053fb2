import { type Segment, sortedTerm, type Term } from "./term.ts";

/** One entry of a StorageClass's `allowedTopologies`. */
export interface TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly { readonly key: string; readonly values?: readonly string[] | null }[] | undefined;
}

/**
 * The places that a class allows, written out: for each entry the cross product of its expressions. The first key varies fastest. As
 * upstream has it, an expression without values takes back what its entry has gathered before.
 */
export function flattenAllowed(allowed: readonly TopologySelectorTerm[]): readonly Term[] {
  return allowed.flatMap(({ matchLabelExpressions = [] }) => {
    let terms: (readonly Segment[])[] = [];
    for (const { key, values } of matchLabelExpressions) {
      const before = terms.length > 0 ? terms : [[]];
      terms = (values ?? []).flatMap((value) => before.map((term) => [...term, { key, value }]));
    }
    return terms.map(sortedTerm);
  });
}
