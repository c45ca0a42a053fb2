import { ownValue } from "@csi-sidecars/base";
import { meetsRequirement, type Requirement } from "@csi-sidecars/kube";

/** Node and topology selectors, matched as the controllers of a cluster do. */
type Labels = Readonly<Record<string, string>>;

interface NodeSelector {
  readonly nodeSelectorTerms: readonly {
    readonly matchExpressions?: readonly Requirement[];
    readonly matchFields?: readonly Requirement[];
  }[];
}

/** Any of the terms; an empty term matches no node. */
export function matchesNode({ nodeSelectorTerms }: NodeSelector, node: { readonly name: string; readonly labels?: Labels }): boolean {
  const fields = { "metadata.name": node.name };
  return nodeSelectorTerms.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchExpressions.every((it) => meets(it, node.labels ?? {})) &&
      matchFields.every((it) => meets(it, fields)),
  );
}

interface TopologyTerm {
  readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}

/** Any of the terms; no terms at all allow every topology. */
export function matchesTopology(terms: readonly TopologyTerm[] | undefined, labels: Labels = {}): boolean {
  if (!terms || terms.length === 0) return true;
  return terms.some(
    ({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.length > 0 && matchLabelExpressions.every(({ key, values }) => values.includes(ownValue(labels, key) ?? "\0")),
  );
}

function meets(requirement: Requirement, labels: Labels): boolean {
  return meetsRequirement(requirement, ownValue(labels, requirement.key));
}
