import { type Key, matchesLabels, refKey, storageClassName, type View } from "@csi-sidecars/kube";
import { storageSize } from "../claims.ts";
import type { Claim, ClusterNode, Volume } from "../fields.ts";
import { matchesNode } from "../selectors.ts";

export interface MatchOptions {
  /** The claim waits for its first consumer: without a node only a volume reserved for it matches. */
  readonly late?: boolean;
  /** Set by the scheduler: the volume must be reachable from this node. */
  readonly node?: ClusterNode;
  /** Volumes chosen for other claims of the same pod. */
  readonly taken?: ReadonlySet<string>;
}

/**
 * The best matching volume: one reserved for the claim, otherwise the smallest that is large enough, with as few
 * additional access modes as possible.
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
    storageClassName(volume) === storageClassName(claim)
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

/** Indexed volumes, so that binder and scheduler find a match without scanning all of them. */
interface CandidateVolumes {
  /** Volumes whose `claimRef` names the claim. */
  ofClaim(key: string): readonly Volume[];
  candidates(claim: Claim): readonly Volume[];
}

export function candidateVolumes(volumes: View<Volume>): CandidateVolumes {
  volumes.addIndex("claim", (volume) => [claimKeyOf(volume) ?? ""]);
  volumes.addIndex("free", (volume) => (volume.spec?.claimRef ? [] : [storageClassName(volume)]));
  const ofClaim = (key: string) => volumes.byIndex("claim", key);
  return {
    ofClaim,
    candidates: (claim) => [...ofClaim(refKey(claim.metadata)), ...volumes.byIndex("free", storageClassName(claim))],
  };
}

/** Whether the volume is bound to the claim or reserved for it: a reservation may leave out the uid. */
export function isBoundTo({ spec }: Volume, { metadata }: Claim): boolean {
  const ref = spec?.claimRef;
  return ref?.name === metadata.name && ref?.namespace === metadata.namespace && (!ref?.uid || ref.uid === metadata.uid);
}

/** Whether the volume modes of claim and volume differ. */
export function volumeModesDiffer(claim: Claim, volume: Volume): boolean {
  return (claim.spec?.volumeMode ?? "Filesystem") !== (volume.spec?.volumeMode ?? "Filesystem");
}

/** Whether the volume has all access modes of the claim. */
export function hasAccessModes(volume: Volume, claim: Claim): boolean {
  const modes = volume.spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).every((mode) => modes.includes(mode));
}

/** The key of the claim in `claimRef`, whatever its uid; `undefined` for a free volume. */
export function claimKeyOf({ spec }: Volume): Key | undefined {
  const ref = spec?.claimRef;
  return ref ? `${ref.namespace}/${ref.name}` : undefined;
}
