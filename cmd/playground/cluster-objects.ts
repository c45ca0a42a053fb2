import { type Client, CSIDriver, CSINode, isAlreadyExists, type KubeObject, Node, type Resource, StorageClass } from "@csi-sidecars/kube";

export const driverName = "hostpath.csi.k8s.io";
export const className = "playground";

export const nodeNames = (count: number) => Array.from({ length: count }, (_, i) => `node-${i + 1}`);

/** What an installed driver brings to a cluster: its CSIDriver, nodes that know it, and a default class. What is there stays. */
export async function installDriver(admin: Client, nodes: readonly string[]): Promise<void> {
  const ensure = async <T extends KubeObject>(resource: Resource<T>, object: T) => {
    await admin.create(resource, object).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  };
  await ensure(CSIDriver, { metadata: { name: driverName }, spec: { attachRequired: true } });
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  await ensure(StorageClass, { metadata: { name: className, annotations }, provisioner: driverName, reclaimPolicy: "Delete" });
  for (const name of nodes) {
    await ensure(Node, { metadata: { name }, status: { conditions: [{ type: "Ready", status: "True" }] } });
    await ensure(CSINode, { metadata: { name }, spec: { drivers: [{ name: driverName, nodeID: name }] } });
  }
}
