import { systemClock } from "@csi-sidecars/base";
import {
  CSINode,
  isAlreadyExists,
  isNotFound,
  Node,
  PersistentVolumeClaim,
  StorageClass,
  type V1PersistentVolumeClaim,
} from "@csi-sidecars/kube";
import type { Cluster } from "@csi-sidecars/testcluster";
import { until } from "../e2e/testing/until.ts";
import type { World } from "../e2e/testing/world.ts";

const classes = { Immediate: "chaos", WaitForFirstConsumer: "chaos-late" } as const;
export const selectedNode = "volume.kubernetes.io/selected-node";
/** A request to a server that was stopped is never answered. */
export const requestTimeout = { timeoutMs: 5_000 };
export const inDefault = (name: string) => ({ namespace: "default", name });
/** The nodes that volumes can be on. */
export const nodeNames = ["node-1", "node-2", "node-3"] as const;

/** StorageClasses with both binding modes, and the nodes. */
export async function addClassesAndNodes({ cluster: { admin }, driver: { settings } }: World): Promise<void> {
  const { name: driver, topology } = settings;
  const topologyKeys = Object.keys(topology);
  for (const name of nodeNames) {
    const labels = Object.fromEntries(topologyKeys.map((key) => [key, name]));
    await admin.create(Node, { metadata: { name, labels } });
    await admin.create(CSINode, { metadata: { name }, spec: { drivers: [{ name: driver, nodeID: name, topologyKeys }] } });
  }
  for (const volumeBindingMode of ["Immediate", "WaitForFirstConsumer"] as const) {
    const metadata = { name: classes[volumeBindingMode] };
    await admin.create(StorageClass, { metadata, provisioner: driver, reclaimPolicy: "Delete", volumeBindingMode });
  }
}

/** The data source of a claim, and the node it is bound late for. */
export interface ClaimOptions {
  readonly dataSource?: { readonly apiGroup?: string; readonly kind: string; readonly name: string };
  /** With WaitForFirstConsumer: the node that is selected first. */
  readonly node?: string;
}

/** Whether its binding mode is WaitForFirstConsumer. */
export function isLate({ spec }: V1PersistentVolumeClaim): boolean {
  return spec?.storageClassName === classes.WaitForFirstConsumer;
}

/** Returns its uid. */
export async function createClaim({ admin }: Cluster, name: string, { dataSource, node }: ClaimOptions = {}): Promise<string> {
  const claim: V1PersistentVolumeClaim = {
    metadata: { ...inDefault(name), ...(node && { annotations: { [selectedNode]: node } }) },
    spec: {
      ...{ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      storageClassName: classes[node ? "WaitForFirstConsumer" : "Immediate"],
      ...(dataSource && { dataSource }),
    },
  };
  await withRetries(() => admin.create(PersistentVolumeClaim, claim, requestTimeout), isAlreadyExists);
  let uid: string | undefined;
  await withRetries(async () => {
    uid = (await admin.get(PersistentVolumeClaim, inDefault(name), requestTimeout)).metadata?.uid;
  });
  return uid ?? "";
}

export async function deleteClaim({ admin }: Cluster, name: string): Promise<void> {
  await withRetries(() => admin.delete(PersistentVolumeClaim, inDefault(name), requestTimeout), isNotFound);
}

export async function boundClaim({ admin }: Cluster, name: string, limitMs = 90_000): Promise<void> {
  const isBound = async () => (await admin.get(PersistentVolumeClaim, inDefault(name), requestTimeout)).status?.phase === "Bound";
  await until(`claim ${name} bound`, () => isBound().catch(() => false), limitMs);
}

/** Retries while the server is away. `isDone` recognizes the error of a retry whose first attempt succeeded. */
async function withRetries(ask: () => Promise<unknown>, isDone: (error: unknown) => boolean = () => false): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await ask();
      return;
    } catch (error) {
      if (isDone(error)) return;
      if (attempt === 300) throw error;
    }
    await systemClock.sleep(200);
  }
}
