import { ownValue } from "@csi-sidecars/base";
import type { Topology } from "@csi-sidecars/csi";
import { meetsRequirement, wholeNumber } from "@csi-sidecars/kube";
import { type Labels, sortedTerm, type Term, termOf } from "./term.ts";

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

/** The affinity of a volume with these accessible topologies; none if the driver named none. */
export function nodeAffinityFromTopology(accessible: readonly Topology[]): NewNodeAffinity | undefined {
  const terms = accessible.map(({ segments }) => termOf(segments)).filter((term) => term.length > 0);
  if (terms.length === 0) return undefined;
  const nodeSelectorTerms = terms.map((term) => ({
    matchExpressions: term.map(({ key, value }) => ({ key, operator: "In" as const, values: [value] })),
  }));
  return { required: { nodeSelectorTerms } };
}

/** The topology that a selector term names, or why it names none. The way back from {@link nodeAffinityFromTopology}. */
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

/** Whether a volume is accessible from a node; `error`: no term matches, and one of them is invalid. */
export type AffinityMatch = { readonly matches: boolean } | { readonly error: string };

/**
 * Whether a node with these labels matches the volume's affinity: this decides which instance of a node deployment deletes it.
 * A volume without affinity is everywhere. Fields of nodes are not known here and count as met.
 */
export function matchesNode(affinity: NodeAffinity | undefined, labels: Labels): AffinityMatch {
  const required = affinity?.required;
  if (!required) return { matches: true };
  let error: string | undefined;
  for (const term of required.nodeSelectorTerms) {
    const match = matchesTerm(term, labels);
    if ("error" in match) error ??= match.error;
    else if (match.matches) return match;
  }
  return error === undefined ? { matches: false } : { error: `checking volume affinity failed: ${error}` };
}

function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, labels: Labels): AffinityMatch {
  if (matchExpressions.length === 0 && matchFields.length === 0) return { matches: false };
  const error = matchExpressions.map(problemOf).find((problem) => problem !== undefined);
  if (error !== undefined) return { error };
  return { matches: matchExpressions.every((expression) => meetsRequirement(expression, ownValue(labels, expression.key))) };
}

function problemOf({ key, operator, values = [] }: NodeSelectorExpression): string | undefined {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0 ? undefined : `${key} ${operator}: needs at least one value`;
    case "Exists":
    case "DoesNotExist":
      return values.length === 0 ? undefined : `${key} ${operator}: takes no values`;
    case "Gt":
    case "Lt":
      return values.length === 1 && wholeNumber(values[0]) !== undefined ? undefined : `${key} ${operator}: needs one integer`;
    default:
      return `${key}: "${operator}" is not a valid node selector operator`;
  }
}
