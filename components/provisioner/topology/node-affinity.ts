import type { Topology } from "@csi-sidecars/csi";
import { sortedTerm, type Term, termOf } from "./term.ts";

/** One condition on a node's labels. */
export interface NodeSelectorExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/** Conditions that a node must meet all; a selector's terms are alternatives. */
export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly NodeSelectorExpression[] | undefined;
  readonly matchFields?: readonly NodeSelectorExpression[] | undefined;
}

/** `spec.nodeAffinity` of a PersistentVolume, as far as it is read here. */
export interface NodeAffinity {
  readonly required?: { readonly nodeSelectorTerms: readonly NodeSelectorTerm[] } | undefined;
}

/** The same as the API takes it. */
export interface NewNodeAffinity {
  required: { nodeSelectorTerms: { matchExpressions: { key: string; operator: "In"; values: string[] }[] }[] };
}

/** The affinity of a volume that is reachable from these places; none if the driver named no place. */
export function nodeAffinityFromTopology(accessible: readonly Topology[]): NewNodeAffinity | undefined {
  const terms = accessible.map(({ segments }) => termOf(segments)).filter((term) => term.length > 0);
  if (terms.length === 0) return undefined;
  const nodeSelectorTerms = terms.map((term) => ({
    matchExpressions: term.map(({ key, value }) => ({ key, operator: "In" as const, values: [value] })),
  }));
  return { required: { nodeSelectorTerms } };
}

/** The place a selector term names, or why it names none. The way back from {@link nodeAffinityFromTopology}. */
export function termOfSelector({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): Term | { readonly error: string } {
  if (matchFields.length > 0) return { error: "MatchFields not supported" };
  const segments = [];
  for (const { key, operator, values = [] } of matchExpressions) {
    const [value] = values;
    if (operator !== "In") return { error: `operator ${operator} of ${key} not supported` };
    if (value === undefined || values.length !== 1) return { error: `need exactly one value for ${key}, not ${values.length}` };
    segments.push({ key, value });
  }
  return sortedTerm(segments);
}
