import { ownValue } from "@csi-sidecars/base";
import type { Topology } from "@csi-sidecars/csi";

/** One segment of a topology: `topology.kubernetes.io/zone` = `zone1`. */
export interface Segment {
  readonly key: string;
  readonly value: string;
}

/** A topology: all segments together, sorted by key, then value. Two terms are the same iff their {@link termId} is equal. */
export type Term = readonly Segment[];

export type Labels = Readonly<Record<string, string>>;

/** The term of a map of segments, as drivers and label selectors spell it. */
export function termOf(segments: Labels): Term {
  return sortedTerm(Object.entries(segments).map(([key, value]) => ({ key, value })));
}

export function sortedTerm(segments: readonly Segment[]): Term {
  return [...segments].sort((a, b) => byteOrder(a.key, b.key) || byteOrder(a.value, b.value));
}

/** The topology of a node for these keys; `undefined` when a label is missing. */
export function termOfLabels(labels: Labels, keys: readonly string[]): Term | undefined {
  const segments: Segment[] = [];
  for (const key of new Set(keys)) {
    const value = ownValue(labels, key);
    if (value === undefined) return undefined;
    segments.push({ key, value });
  }
  return sortedTerm(segments);
}

export function segmentsOf(term: Term): Record<string, string> {
  return Object.fromEntries(term.map(({ key, value }) => [key, value]));
}

/** Shorter terms first, then segment by segment: the order in which drivers get to see them. */
export function compareTerms(a: Term, b: Term): number {
  if (a.length !== b.length) return a.length - b.length;
  for (const [index, segment] of a.entries()) {
    const other = b[index] ?? segment;
    const order = byteOrder(segment.key, other.key) || byteOrder(segment.value, other.value);
    if (order !== 0) return order;
  }
  return 0;
}

/** Whether `outer` lies within `term`: each of the term's segments is one of its segments. */
export function isSubset(term: Term, outer: Term): boolean {
  return term.every(({ key, value }) => outer.some((other) => other.key === key && other.value === value));
}

/** The term as a string: what maps and sets compare it by. */
export function termId(term: Term): string {
  return JSON.stringify(term.flatMap(({ key, value }) => [key, value]));
}

/** Each topology once, in the order of {@link compareTerms}. */
export function distinctTerms(terms: Iterable<Term>): readonly Term[] {
  const found = new Map<string, Term>();
  for (const term of terms) found.set(termId(term), term);
  return [...found.values()].sort(compareTerms);
}

/** For a CSI request; terms without segments say nothing and are left out. */
export function toTopologies(terms: readonly Term[]): Topology[] {
  return terms.filter((term) => term.length > 0).map((term) => ({ segments: segmentsOf(term) }));
}

/** `[{zone zone1} {rack rackA}]`: how upstream's messages show a term. */
export function showTerm(term: Term): string {
  return `[${term.map(({ key, value }) => `{${key} ${value}}`).join(" ")}]`;
}

export function showTerms(terms: readonly Term[]): string {
  return `[${terms.map(showTerm).join(" ")}]`;
}

function byteOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
