import type { V1Node, V1PersistentVolume, V1PersistentVolumeClaim, V1Pod, V1VolumeAttachment } from "@csi-sidecars/kube";
import { claimsOf } from "../gather/claim-users.ts";
import type { ObjectArgument } from "../object-argument.ts";
import type { Content, Snapshot } from "../snapshot-kinds.ts";
import { expands } from "../steps/claim-expansion.ts";
import { modificationOf } from "../steps/claim-modification.ts";

/** An object that may be stuck, by a look at itself alone. */
export interface Suspect {
  readonly object: ObjectArgument;
  /** Since when it may be, where nothing says more: RFC 3339. */
  readonly since: string | undefined;
}

type Metadata = V1PersistentVolumeClaim["metadata"];

const suspect = (kind: ObjectArgument["kind"], metadata: Metadata): Suspect => ({
  object: { kind, ref: { name: metadata?.name ?? "", ...(metadata?.namespace && { namespace: metadata.namespace }) } },
  since: metadata?.deletionTimestamp ?? metadata?.creationTimestamp,
});

/** A claim that is bound and wanted is suspect if it changes, or if something was reported about it. */
export function suspectClaims(claims: readonly V1PersistentVolumeClaim[], isReported: (uid: string) => boolean): readonly Suspect[] {
  const isStuck = (claim: V1PersistentVolumeClaim) =>
    claim.status?.phase !== "Bound" ||
    claim.metadata?.deletionTimestamp !== undefined ||
    expands(claim) ||
    modificationOf(claim) !== undefined ||
    isReported(claim.metadata?.uid ?? "");
  return claims.filter(isStuck).map(({ metadata }) => suspect("claim", metadata));
}

/** A volume that is retained, or available, waits for nobody. */
export function suspectVolumes(volumes: readonly V1PersistentVolume[]): readonly Suspect[] {
  const isStuck = ({ metadata, spec, status }: V1PersistentVolume) =>
    metadata?.deletionTimestamp !== undefined ||
    status?.phase === "Failed" ||
    (status?.phase === "Released" && spec?.persistentVolumeReclaimPolicy === "Delete");
  return volumes.filter(isStuck).map(({ metadata }) => suspect("volume", metadata));
}

export function suspectAttachments(attachments: readonly V1VolumeAttachment[]): readonly Suspect[] {
  const isStuck = ({ metadata, status }: V1VolumeAttachment) =>
    metadata?.deletionTimestamp !== undefined || !status?.attached || status.attachError !== undefined;
  return attachments.filter(isStuck).map(({ metadata }) => suspect("attachment", metadata));
}

/** Pods that have not started and use claims: what keeps others is none of ours. */
export function suspectPods(pods: readonly V1Pod[]): readonly Suspect[] {
  const isStuck = (pod: V1Pod) => (pod.status?.phase ?? "Pending") === "Pending" && claimsOf(pod).length > 0;
  return pods.filter(isStuck).map(({ metadata }) => suspect("pod", metadata));
}

export function suspectSnapshots(kind: "snapshot" | "group snapshot", snapshots: readonly Snapshot[]): readonly Suspect[] {
  const isStuck = ({ metadata, readyToUse }: Snapshot) => !readyToUse || metadata.deletionTimestamp !== undefined;
  return snapshots.filter(isStuck).map(({ metadata }) => suspect(kind, metadata));
}

/** The content of a snapshot that is there is explained with the snapshot. */
export function suspectContents(
  kind: "content" | "group content",
  contents: readonly Content[],
  snapshots: readonly Snapshot[],
): readonly Suspect[] {
  const uids = new Set(snapshots.map(({ metadata }) => metadata.uid));
  const isStuck = ({ metadata, policy, ref }: Content) =>
    metadata.deletionTimestamp !== undefined || (policy === "Delete" && ref.uid !== undefined && !uids.has(ref.uid));
  return contents.filter(isStuck).map(({ metadata }) => suspect(kind, metadata));
}

/** Nodes to which volumes are attached, or are to be, and that are not ready, are gone, or have lost the driver. */
export function suspectNodes(
  nodes: readonly V1Node[],
  attachments: readonly V1VolumeAttachment[],
  hasDriver: (node: string, driver: string) => boolean,
): readonly Suspect[] {
  const byName = new Map(nodes.map((node) => [node.metadata?.name, node]));
  const used = Map.groupBy(attachments, ({ spec }) => spec.nodeName);
  return [...used].flatMap(([name, own]): Suspect[] => {
    const node = byName.get(name);
    const isWell = node && isReady(node) && own.every(({ spec }) => hasDriver(name, spec.attacher));
    return isWell ? [] : [{ object: { kind: "node", ref: { name } }, since: node && notReadySince(node) }];
  });
}

const readyCondition = ({ status }: V1Node) => status?.conditions?.find(({ type }) => type === "Ready");

const isReady = (node: V1Node): boolean => readyCondition(node)?.status === "True";

const notReadySince = (node: V1Node): string | undefined => readyCondition(node)?.lastTransitionTime;
