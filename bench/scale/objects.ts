import { podUsing } from "../shared/pods.ts";
import { attachedVolume, namespaceCount, namespaceName, volumeNode } from "../shared/volumes.ts";
import type { ChangedKind, Size } from "./orders.ts";

interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly uid: string; readonly creationTimestamp: string; readonly annotations?: Readonly<Record<string, string>> };
}

interface Untyped {
  readonly metadata?: object;
  readonly spec?: unknown;
  readonly status?: unknown;
}

const creationTimestamp = "2026-01-01T00:00:00Z";

/** An object that is the same one each time it is made. */
const typed = (apiVersion: string, kind: string, object: Untyped, uid: string): ClusterObject => ({
  ...{ apiVersion, kind, ...object },
  metadata: { ...object.metadata, uid, creationTimestamp },
});

/** What makes a cluster of one size one of another, larger size. */
export function* objectsBetween(from: Size, to: Size): Generator<ClusterObject> {
  for (let index = 0; from.volumes === 0 && index < namespaceCount; index++)
    yield typed("v1", "Namespace", { metadata: { name: namespaceName(index) } }, `namespace-${index}`);
  for (let index = from.nodes; index < to.nodes; index++) yield objectOf.nodes(index);
  for (let index = from.volumes; index < to.volumes; index++)
    for (const kind of ["claims", "volumes", "attachments"] as const) yield objectOf[kind](index);
  for (let index = from.pods; index < to.pods; index++) yield objectOf.pods(index);
}

/** One of the objects of a kind, written again by somebody whom it does not matter to the sidecars. */
export function changedObject(kind: ChangedKind, index: number, size: Size, change: number): ClusterObject {
  const count = { volumes: size.volumes, claims: size.volumes, attachments: size.volumes, pods: size.pods, nodes: size.nodes }[kind];
  const object = objectOf[kind](index % count);
  const annotations = { ...object.metadata.annotations, "bench.example.com/change": `${change}-${index}` };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const objectOf: Readonly<Record<ChangedKind, (index: number) => ClusterObject>> = {
  volumes: (index) => typed("v1", "PersistentVolume", { ...attachedVolume(index).volume, status: { phase: "Bound" } }, `volume-${index}`),
  claims: (index) => {
    const { claim, volume } = attachedVolume(index);
    return typed("v1", "PersistentVolumeClaim", claim, volume.spec?.claimRef?.uid ?? "");
  },
  attachments: (index) => typed("storage.k8s.io/v1", "VolumeAttachment", attachedVolume(index).attachment, `attachment-${index}`),
  pods: (index) => typed("v1", "Pod", podUsing(podClaim(index)), `pod-${index}`),
  nodes: (index) => typed("v1", "Node", node(index), `node-${index}`),
};

/** A node of usual size. */
const node = (index: number) => ({
  metadata: { name: nodeName(index) },
  spec: { providerID: `example:///zone-${index % 3}/i-${index}` },
  status: {
    conditions: ["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map((type) => ({
      ...{ type, status: type === "Ready" ? "True" : "False", reason: "KubeletReports", message: `kubelet reports ${type}` },
    })),
    images: Array.from({ length: 50 }, (_, image) => ({ names: [`registry.example.com/team/app-${image}:v1`], sizeBytes: 100_000_000 })),
  },
});

/** The claim of a pod: every tenth, so that pods run on all nodes. */
const podClaim = (index: number) => index * 10;

const nodesInTurn = 200;
const volumesInTurn = 20_000;
/** The name of a node by its number, in the order in which volumes reach new nodes. */
const nodeName = (index: number) => volumeNode(Math.floor(index / nodesInTurn) * volumesInTurn + (index % nodesInTurn));
