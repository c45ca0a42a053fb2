import type { Resource } from "@csi-sidecars/kube";
import type { Gates } from "./gates/feature-gates.ts";

/** Custom kinds that a component works with, and that somebody has to install. */
export interface KindNeed {
  /** In the versions that it reads and writes. */
  readonly kinds: readonly Resource[];
  /** What does not work, and what does, while one of them is not served: `group snapshots are not taken, single ones are`. */
  readonly without: string;
  /** Where to get them. */
  readonly remedy: string;
  /** Whether it does its work without them, but for a feature. */
  readonly optional?: true;
  /** The feature gate without which they are not needed. */
  readonly gate?: string;
}

/** Those that are not about a feature that is disabled. */
export function neededKinds(needs: readonly KindNeed[], gates: Gates): readonly KindNeed[] {
  return needs.filter(({ gate }) => gate === undefined || gates.enabled(gate));
}
