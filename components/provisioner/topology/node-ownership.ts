import type { TopologyAnswer } from "./requirement.ts";

export interface OwnershipQuestion {
  /** Of the claim. */
  readonly selectedNode: string | undefined;
  /** `NODE_NAME` */
  readonly ownNode: string;
  /** Of the claim's class. */
  readonly volumeBindingMode: string | undefined;
  /** `--node-deployment-immediate-binding` */
  readonly immediateBinding: boolean;
  /** What {@link topologyRequirement} says for this node, where the class has allowed topologies and topology is used. */
  readonly requirement?: (() => TopologyAnswer) | undefined;
}

/** Whose claim it is in a node deployment. `compete`: nobody's yet; wait, look for capacity, then write this node on the claim. */
export type Ownership = "own" | "not-own" | "compete";

export function nodeOwnership(question: OwnershipQuestion): Ownership {
  const { selectedNode, ownNode, volumeBindingMode, immediateBinding, requirement } = question;
  if (selectedNode) return selectedNode === ownNode ? "own" : "not-own";
  if (volumeBindingMode !== "Immediate" || !immediateBinding) return "not-own";
  const answer = requirement?.();
  return answer && "problem" in answer ? "not-own" : "compete";
}
