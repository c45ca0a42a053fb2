import type { Claim, ClusterPod, Volume } from "../fields.ts";

/** Where a playground or a test lets the node half of a driver take part. What rejects is tried again later. */
export interface NodeHooks {
  /** All volumes of the pod are attached: stage and publish them. */
  mount?(pod: ClusterPod, signal: AbortSignal): Promise<void>;
  /** The pod ends: unpublish and unstage its volumes. */
  unmount?(pod: ClusterPod, signal: AbortSignal): Promise<void>;
  expand?(
    on: { readonly claim: Claim; readonly volume: Volume; readonly node: string; readonly size: string },
    signal: AbortSignal,
  ): Promise<void>;
}
