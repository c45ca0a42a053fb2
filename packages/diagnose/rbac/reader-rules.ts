import type { PolicyRule } from "@csi-sidecars/host";
import {
  CSIDriver,
  CSINode,
  Event,
  type KubeObject,
  Lease,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type Resource,
  ResourceQuota,
  resource,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumePopulator,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";

/** The commands that read the cluster as whoever calls them. */
export const readers = ["why", "check", "audit"] as const;
export type Reader = (typeof readers)[number];

const Definition = resource("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", { namespaced: false });
/** An answer about one object gets what it names; one about everything lists all of these. */
const volumeKinds = [
  ...[PersistentVolumeClaim, PersistentVolume, Pod, Node, StorageClass, VolumeAttributesClass, CSIDriver, CSINode, VolumeAttachment],
  ...[VolumeSnapshot, VolumeSnapshotContent, VolumeSnapshotClass],
  ...[VolumeGroupSnapshot, VolumeGroupSnapshotContent, VolumeGroupSnapshotClass],
] as readonly Resource<KubeObject>[];

/** What each command gets and lists. */
const reads: Readonly<Record<Reader, Readonly<Record<"get" | "list", readonly Resource<KubeObject>[]>>>> = {
  why: {
    get: [...volumeKinds, Namespace as Resource<KubeObject>],
    list: [...volumeKinds, ...([Event, ResourceQuota, Lease, VolumePopulator] as readonly Resource<KubeObject>[])],
  },
  check: { get: [CSIDriver, Definition] as readonly Resource<KubeObject>[], list: [Lease, Pod] as readonly Resource<KubeObject>[] },
  audit: {
    get: [PersistentVolume, VolumeSnapshotContent, VolumeGroupSnapshotContent] as readonly Resource<KubeObject>[],
    list: [
      ...[PersistentVolume, PersistentVolumeClaim, VolumeAttachment, CSINode, VolumeSnapshotContent, VolumeGroupSnapshotContent],
    ] as readonly Resource<KubeObject>[],
  },
};

/** The rules of a role that lets somebody use a command without anything that it could not read. Nothing is written, and no secret read. */
export function readerRules(reader: Reader): readonly PolicyRule[] {
  const verbs = new Map<Resource<KubeObject>, readonly string[]>();
  for (const verb of ["get", "list"] as const) for (const kind of reads[reader][verb]) verbs.set(kind, [...(verbs.get(kind) ?? []), verb]);
  const alike = Map.groupBy(verbs, ([{ group }, each]) => JSON.stringify([group, each]));
  return [...alike.values()].flatMap((kinds): PolicyRule[] => {
    const [first] = kinds;
    return first ? [{ apiGroups: [first[0].group], resources: kinds.map(([{ plural }]) => plural), verbs: first[1] }] : [];
  });
}
