import { ownValue } from "@csi-sidecars/base";
import { meetsRequirement, type Requirement } from "@csi-sidecars/kube";
import type { Node, Volume } from "./fields.ts";

/** Where the csi-snapshotter runs that is to take a snapshot. */
export type ServingNode = { readonly name: string } | "any" | "none";

/**
 * The first node that a volume is accessible from, where csi-snapshotter runs on every node; `any` where its nodes are not restricted, `none` where
 * no node matches.
 */
export function nodeForVolume(volume: Volume, nodes: readonly Node[]): ServingNode {
  return nodeForVolumes([volume], nodes);
}

/** The same for several volumes: the first node that all of them are accessible from. */
export function nodeForVolumes(volumes: readonly Volume[], nodes: readonly Node[]): ServingNode {
  const restricted = volumes.filter(({ spec }) => spec?.nodeAffinity);
  if (restricted.length === 0) return "any";
  const node = nodes.find((each) => restricted.every((volume) => isAccessible(volume, each)));
  return node ? { name: node.metadata.name } : "none";
}

function isAccessible({ spec }: Volume, node: Node): boolean {
  return spec?.nodeAffinity?.required?.nodeSelectorTerms?.some((term) => matches(node, term)) ?? false;
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
