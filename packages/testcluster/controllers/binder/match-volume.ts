import type { Claim, ClusterNode, Volume } from "../fields.ts";
import { matchesLabels, matchesNode } from "../match-labels.ts";
import { storageSize } from "../sizes.ts";
import { storageClassOf } from "../storage-class-of.ts";
import { hasAccessModes, isBoundTo, volumeModesDiffer } from "./is-bound-to.ts";

export interface MatchOptions {
  /** The claim waits for its consumer: without a node only a volume reserved for it is a match. */
  readonly late?: boolean;
  /** The scheduler asks: the volume must be reachable from this node. */
  readonly node?: ClusterNode;
  /** Volumes that other claims of the same pod get. */
  readonly taken?: ReadonlySet<string>;
}

/**
 * The volume that suits the claim best: one reserved for it, otherwise the smallest that is large enough, with as few
 * access modes beyond those asked for as possible.
 */
export function matchVolume(claim: Claim, volumes: readonly Volume[], options: MatchOptions = {}): Volume | undefined {
  const able = volumes.filter((volume) => !options.taken?.has(volume.metadata.name) && isCandidate(volume, claim));
  const reserved = able.find((volume) => isBoundTo(volume, claim));
  if (reserved) return isReachable(reserved, options.node) ? reserved : undefined;
  if (options.late && !options.node) return undefined;
  return able.filter((volume) => isFree(volume, claim) && isReachable(volume, options.node)).sort(tightest)[0];
}

function isCandidate(volume: Volume, claim: Claim): boolean {
  return (
    (volume.spec?.claimRef === undefined || isBoundTo(volume, claim)) &&
    hasAccessModes(volume, claim) &&
    storageSize(volume.spec?.capacity) >= storageSize(claim.spec?.resources?.requests) &&
    !volumeModesDiffer(claim, volume) &&
    (claim.spec?.volumeAttributesClassName ?? "") === (volume.spec?.volumeAttributesClassName ?? "") &&
    volume.metadata.deletionTimestamp === undefined
  );
}

function isFree(volume: Volume, claim: Claim): boolean {
  const selector = claim.spec?.selector;
  return (
    volume.status?.phase === "Available" &&
    (!selector || matchesLabels(selector, volume.metadata.labels)) &&
    storageClassOf(volume) === storageClassOf(claim)
  );
}

/** Whether the volume's node affinity lets the node use it. */
export function isReachable({ spec }: Volume, node: ClusterNode | undefined): boolean {
  const required = spec?.nodeAffinity?.required;
  return !node || !required || matchesNode(required, node.metadata);
}

function tightest(a: Volume, b: Volume): number {
  const modes = (a.spec?.accessModes?.length ?? 0) - (b.spec?.accessModes?.length ?? 0);
  if (modes !== 0) return modes;
  const [sizeA, sizeB] = [storageSize(a.spec?.capacity), storageSize(b.spec?.capacity)];
  if (sizeA !== sizeB) return sizeA < sizeB ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
