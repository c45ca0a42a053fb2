import {
  CSINode,
  Event,
  type KubeObject,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type Resource,
  VolumeAttachment,
} from "@csi-sidecars/kube";
import { foundIn } from "../../access/read-cluster.ts";
import type { GatherContext } from "../gather/context.ts";
import { groupSnapshots, type SnapshotKind, singleSnapshots } from "../snapshot-kinds.ts";
import {
  type Suspect,
  suspectAttachments,
  suspectClaims,
  suspectContents,
  suspectNodes,
  suspectPods,
  suspectSnapshots,
  suspectVolumes,
} from "./suspects.ts";

/** Looks through all objects, or those of a namespace, for what may be stuck. Nodes belong to no namespace. */
export async function findSuspects(context: GatherContext, namespace: string | undefined): Promise<readonly Suspect[]> {
  const { cluster } = context;
  const all = async <T extends KubeObject>(kind: Resource<T>): Promise<readonly T[]> =>
    foundIn(await cluster.list(kind, namespace !== undefined && kind.namespaced ? { namespace } : {})) ?? [];
  const [claims, volumes, attachments, pods, isReported] = await Promise.all([
    all(PersistentVolumeClaim),
    all(PersistentVolume),
    all(VolumeAttachment),
    all(Pod),
    reportedUids(context, () => all(Event)),
  ]);
  const ownVolumes = namespace === undefined ? volumes : volumes.filter(({ spec }) => spec?.claimRef?.namespace === namespace);
  const names = new Set(ownVolumes.map(({ metadata }) => metadata?.name));
  const ownAttachments =
    namespace === undefined ? attachments : attachments.filter(({ spec }) => names.has(spec.source.persistentVolumeName));
  return [
    ...suspectClaims(claims, isReported),
    ...suspectVolumes(ownVolumes),
    ...suspectAttachments(ownAttachments),
    ...suspectPods(pods),
    ...(await suspectsOf(singleSnapshots, "snapshot", "content", all, namespace)),
    ...(await suspectsOf(groupSnapshots, "group snapshot", "group content", all, namespace)),
    ...(namespace === undefined ? await nodesAmong(all, attachments) : []),
  ];
}

type ListAll = <T extends KubeObject>(kind: Resource<T>) => Promise<readonly T[]>;

async function suspectsOf(
  kind: SnapshotKind,
  called: "snapshot" | "group snapshot",
  contentCalled: "content" | "group content",
  all: ListAll,
  namespace: string | undefined,
): Promise<readonly Suspect[]> {
  const [snapshots, contents] = await Promise.all([all(kind.snapshots), all(kind.contents)]);
  const [known, own] = [snapshots.map(kind.readSnapshot), contents.map(kind.readContent)];
  const inScope = namespace === undefined ? own : own.filter(({ ref }) => ref.namespace === namespace);
  return [...suspectSnapshots(called, known), ...suspectContents(contentCalled, inScope, known)];
}

async function nodesAmong(all: ListAll, attachments: Parameters<typeof suspectNodes>[1]): Promise<readonly Suspect[]> {
  if (attachments.length === 0) return [];
  const [nodes, csiNodes] = await Promise.all([all(Node), all(CSINode)]);
  if (nodes.length === 0) return [];
  const drivers = new Map(csiNodes.map(({ metadata, spec }) => [metadata?.name, new Set(spec.drivers.map(({ name }) => name))]));
  return suspectNodes(nodes, attachments, (node, driver) => csiNodes.length === 0 || (drivers.get(node)?.has(driver) ?? false));
}

/** Whether the events report a condition of an object, good or bad: only a look at all of them tells which. */
async function reportedUids(
  { reportOn }: GatherContext,
  events: () => Promise<readonly { readonly reason?: string; readonly involvedObject: { readonly uid?: string } }[]>,
) {
  const reasons = new Set(
    (["volumeHealth", "nodeHealth"] as const).flatMap((each) => reportOn(each)?.events.map(({ reason }) => reason) ?? []),
  );
  const uids = new Set((await events()).filter(({ reason = "" }) => reasons.has(reason)).map(({ involvedObject }) => involvedObject.uid));
  return (uid: string) => uids.has(uid);
}
