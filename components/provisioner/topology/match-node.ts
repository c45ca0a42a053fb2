import { meetsRequirement, wholeNumber } from "@csi-sidecars/kube";
import type { NodeAffinity, NodeSelectorExpression, NodeSelectorTerm } from "./node-affinity.ts";
import type { Labels } from "./term.ts";

/** Whether a volume is reachable from a node; `error`: an affinity that nobody can read and that no other term makes up for. */
export type AffinityMatch = { readonly matches: boolean } | { readonly error: string };

/**
 * Whether a node with these labels is one of those that the volume's affinity asks for: which instance of a node deployment deletes it.
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
  return { matches: matchExpressions.every((expression) => meetsRequirement(expression, labels[expression.key])) };
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
