import {
  type Client,
  CSINode,
  CSIStorageCapacity,
  type KubeObject,
  Node,
  type ObjectMeta,
  Pod,
  type Resource,
  resource,
  StorageClass,
} from "@csi-sidecars/kube";
import type { Labels } from "../../topology/term.ts";

export const driverName = "driver.example.com";
export const namespace = "default";

const late = "WaitForFirstConsumer";

export async function addClass(
  admin: Client,
  name: string,
  more: { binding?: string; parameters?: Labels; provisioner?: string } = {},
): Promise<void> {
  const { binding = late, parameters = {}, provisioner = driverName } = more;
  await admin.create(StorageClass, {
    metadata: { name },
    provisioner,
    parameters: { ...parameters },
    volumeBindingMode: binding === "Immediate" ? "Immediate" : late,
  });
}

/** A node with its registration of the driver. */
export async function addNode(admin: Client, name: string, labels: Labels, keys: readonly string[] = Object.keys(labels)): Promise<void> {
  await admin.create(Node, { metadata: { name, labels: { ...labels } } });
  await admin.create(CSINode, { metadata: { name }, spec: { drivers: [{ name: driverName, nodeID: name, topologyKeys: [...keys] }] } });
}

export interface ObjectOptions {
  readonly className?: string;
  readonly place?: Labels;
  readonly capacity?: string;
  readonly maximum?: string;
  readonly labels?: Labels;
  readonly owners?: ObjectMeta["ownerReferences"];
}

/** An object as upstream creates it. */
export async function addObject(admin: Client, options: ObjectOptions = {}): Promise<string> {
  const { className = "fast", place = { zone: "zone1" }, capacity = "1Gi", maximum, owners } = options;
  const labels = options.labels ?? { "csi.storage.k8s.io/drivername": driverName, "csi.storage.k8s.io/managed-by": "external-provisioner" };
  const { metadata } = await admin.create(CSIStorageCapacity, {
    metadata: { generateName: "csisc-", namespace, labels: { ...labels }, ...(owners && { ownerReferences: owners }) },
    nodeTopology: Object.keys(place).length > 0 ? { matchLabels: { ...place } } : {},
    storageClassName: className,
    capacity,
    ...(maximum !== undefined && { maximumVolumeSize: maximum }),
  });
  return metadata?.name ?? "";
}

interface Workload extends KubeObject {
  spec: object;
}
const ReplicaSet = resource<Workload>("apps/v1", "replicasets", "ReplicaSet", { namespaced: true });
const Deployment = resource<Workload>("apps/v1", "deployments", "Deployment", { namespaced: true });

/** A pod `provisioner`, controlled by a ReplicaSet, controlled by a Deployment; their uids. */
export async function addWorkload(admin: Client): Promise<Record<"pod" | "replicaSet" | "deployment", string>> {
  const labels = { app: "provisioner" };
  const podSpec = { containers: [{ name: "c", image: "i" }] };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } };
  const uidOf = async <T extends KubeObject>(kind: Resource<T>, object: T) => (await admin.create(kind, object)).metadata?.uid ?? "";
  const owner = (kind: string, name: string, uid: string) => [
    { apiVersion: "apps/v1", kind, name, uid, controller: true, blockOwnerDeletion: true },
  ];
  const deployment = await uidOf(Deployment, { metadata: { name: "dep", namespace }, spec });
  const replicaSet = await uidOf(ReplicaSet, {
    metadata: { name: "set", namespace, ownerReferences: owner("Deployment", "dep", deployment) },
    spec,
  });
  const pod = await uidOf(Pod, {
    metadata: { name: "provisioner", namespace, ownerReferences: owner("ReplicaSet", "set", replicaSet) },
    spec: podSpec,
  });
  return { pod, replicaSet, deployment };
}
