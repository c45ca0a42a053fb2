import { ownValue, systemClock } from "@csi-sidecars/base";
import {
  type Client,
  CSIDriver,
  CSINode,
  isAlreadyExists,
  type KubeObject,
  type Resource,
  StorageClass,
  VolumeAttributesClass,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import type { Driver, DriverInfo } from "../driver/driver.ts";
import { ensureNode, type PlannedNode } from "./nodes.ts";

export const className = "playground";

/** The VolumeAttributesClasses for the hostpath driver, whose parameters are known here. */
export const attributesClasses = {
  silver: { iops: "3000", throughput: "125" },
  gold: { iops: "16000", throughput: "1000" },
} as const;

/** Whether CSIStorageCapacity objects are useful: the driver has topology and reports capacity. */
export const publishesCapacity = ({ provisions, topology, reportsCapacity }: DriverInfo) => provisions && topology && reportsCapacity;

/** With topology, a volume has to wait for the pod that uses it. */
const bindingMode = ({ topology }: DriverInfo) => (topology ? "WaitForFirstConsumer" : "Immediate");

/** Creates the objects of an installed driver: its CSIDriver, the Nodes and CSINodes, and its classes. */
export async function installDriver(admin: Client, nodes: readonly PlannedNode[], driver: Driver): Promise<void> {
  const { info } = driver;
  const { name: provisioner, attaches: attachRequired } = info;
  await ensure(admin, CSIDriver, { metadata: { name: provisioner }, spec: { attachRequired, storageCapacity: publishesCapacity(info) } });
  if (info.provisions) {
    const annotations = { [wellKnownAnnotation.defaultClass]: "true" };
    const metadata = { name: className, annotations };
    const volumeBindingMode = bindingMode(info);
    const allowVolumeExpansion = info.expands;
    await ensure(admin, StorageClass, { metadata, provisioner, reclaimPolicy: "Delete", volumeBindingMode, allowVolumeExpansion });
  }
  if (driver.hostpath) {
    for (const [name, parameters] of Object.entries(attributesClasses))
      await ensure(admin, VolumeAttributesClass, { metadata: { name }, driverName: provisioner, parameters });
  }
  for (const node of nodes) {
    const { name } = node;
    const { id: nodeID, segments, limit } = driver.nodeInfo(node);
    const topologyKeys = Object.keys(segments);
    await ensureNode(admin, { name, labels: { ...segments } }, systemClock.now());
    const registered = {
      ...{ name: provisioner, nodeID },
      ...(topologyKeys.length > 0 && { topologyKeys }),
      ...(limit > 0 && { allocatable: { count: limit } }),
    };
    await ensure(admin, CSINode, { metadata: { name }, spec: { drivers: [registered] } });
  }
}

/** Creates an object. An existing one of a kept cluster with other fields is replaced, because many of them are immutable. */
export async function ensure<T extends KubeObject>(admin: Client, resource: Resource<T>, object: T): Promise<void> {
  const create = () => admin.create(resource, object);
  await create().catch(async (error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
    const ref = { name: object.metadata?.name ?? "" };
    if (includes(await admin.get(resource, ref), object)) return;
    await admin.delete(resource, ref);
    await create();
  });
}

/** Whether `whole` has every field of `part`. */
export function includes(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return whole === part;
  if (typeof whole !== "object" || whole === null) return false;
  if (Array.isArray(part) && (!Array.isArray(whole) || whole.length !== part.length)) return false;
  const fields: Readonly<Record<string, unknown>> = { ...whole };
  return Object.entries(part).every(([key, value]) => includes(ownValue(fields, key), value));
}
