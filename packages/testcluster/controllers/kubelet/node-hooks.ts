import type { Claim, ClusterPod, Volume } from "../fields.ts";
import type { NodeExpansionFailure } from "./plan-expansion-failure.ts";

/** Where a playground or a test lets the node half of a driver take part. What rejects is tried again later. */
export interface NodeHooks {
  /** All volumes of the pod are attached: stage and publish them. */
  mount?(pod: ClusterPod, signal: AbortSignal): Promise<void>;
  /** The pod ends: unpublish and unstage its volumes. */
  unmount?(pod: ClusterPod, signal: AbortSignal): Promise<void>;
  /** Grow what is mounted; resolves with nothing when that is done. */
  expand?(expansion: NodeExpansion, signal: AbortSignal): Promise<NodeExpansionFailure | undefined>;
}

export interface NodeExpansion {
  readonly claim: Claim;
  readonly volume: Volume;
  readonly node: string;
  readonly size: string;
}
