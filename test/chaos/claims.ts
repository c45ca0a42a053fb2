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
import { until } from "../e2e/until.ts";
import type { World } from "../e2e/world.ts";

const className = "chaos";
/** A request that a server took with it when it went is never answered. */
export const patience = { timeoutMs: 5_000 };
const inDefault = (name: string) => ({ namespace: "default", name });

/** A class whose volumes are made at once and go with their claims, and a node that they can be on. */
export async function addClassAndNode({ cluster: { admin }, driver: { settings } }: World): Promise<void> {
  const { name: driver, nodeId: name, topology } = settings;
  await admin.create(Node, { metadata: { name, labels: { ...topology } } });
  await admin.create(CSINode, {
    metadata: { name },
    spec: { drivers: [{ name: driver, nodeID: name, topologyKeys: Object.keys(topology) }] },
  });
  await admin.create(StorageClass, {
    metadata: { name: className },
    provisioner: driver,
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
  });
}

/** Answers with its uid. */
export async function createClaim({ admin }: Cluster, name: string): Promise<string> {
  const claim: V1PersistentVolumeClaim = {
    metadata: inDefault(name),
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: className },
  };
  await persistently(() => admin.create(PersistentVolumeClaim, claim, patience), isAlreadyExists);
  let uid: string | undefined;
  await persistently(async () => {
    uid = (await admin.get(PersistentVolumeClaim, inDefault(name), patience)).metadata?.uid;
  });
  return uid ?? "";
}

export async function deleteClaim({ admin }: Cluster, name: string): Promise<void> {
  await persistently(() => admin.delete(PersistentVolumeClaim, inDefault(name), patience), isNotFound);
}

export async function boundClaim({ admin }: Cluster, name: string): Promise<void> {
  const isBound = async () => (await admin.get(PersistentVolumeClaim, inDefault(name), patience)).status?.phase === "Bound";
  await until(`claim ${name} bound`, () => isBound().catch(() => false), 90_000);
}

/** Asks again while the server is away; an answer that says that an earlier request did it is as good as one to this. */
async function persistently(ask: () => Promise<unknown>, isDone: (error: unknown) => boolean = () => false): Promise<void> {
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
