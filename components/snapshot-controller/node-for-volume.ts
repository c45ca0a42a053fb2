import { ownValue } from "@csi-sidecars/base";
import { meetsRequirement, type Requirement } from "@csi-sidecars/kube";
import type { Node, Volume } from "./fields.ts";

/**
 * The first node that a volume is accessible from, where csi-snapshotter runs on every node; `any` where its nodes are not restricted, `none` where
 * no node matches.
 */
export function nodeForVolume({ spec }: Volume, nodes: readonly Node[]): { readonly name: string } | "any" | "none" {
  if (!spec?.nodeAffinity) return "any";
  const terms = spec.nodeAffinity.required?.nodeSelectorTerms ?? [];
  const node = nodes.find((each) => terms.some((term) => matches(each, term)));
  return node ? { name: node.metadata.name } : "none";
}

interface Term {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

/** A term without conditions matches nothing. */
function matches({ metadata }: Node, { matchExpressions = [], matchFields = [] }: Term): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => meetsRequirement(requirement, ownValue(metadata.labels ?? {}, requirement.key))) &&
    matchFields.every((requirement) => requirement.key === "metadata.name" && meetsRequirement(requirement, metadata.name))
  );
}
