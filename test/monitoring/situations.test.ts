import { afterAll, beforeAll, expect, test } from "bun:test";
import { populatorDefinitions, snapshotDefinitions } from "@csi-sidecars/crds";
import {
  type Client,
  CSIDriver,
  CSINode,
  Lease,
  mergePatch,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  type V1PersistentVolumeClaim,
  VolumeAttachment,
  VolumeSnapshot,
  VolumeSnapshotClass,
} from "@csi-sidecars/kube";
import { type Cluster, startCluster } from "@csi-sidecars/testcluster";
import { why } from "../diagnose/testing/why.ts";
import { situations } from "./testing/troubleshooting-page.ts";

const driver = "csi.example.com";
const namespace = "default";

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ definitions: [...snapshotDefinitions, ...populatorDefinitions] });
  const { admin } = cluster;
  await admin.create(CSIDriver, { metadata: { name: driver }, spec: {} });
  await admin.create(StorageClass, { metadata: { name: "fast" }, provisioner: driver });
  await admin.create(StorageClass, { metadata: { name: "late" }, provisioner: driver, volumeBindingMode: "WaitForFirstConsumer" });
  for (const name of ["n1", "n2"]) {
    await admin.create(Node, { metadata: { name } });
    await admin.create(CSINode, { metadata: { name }, spec: { drivers: [] } });
  }
}, 60_000);
afterAll(() => cluster[Symbol.asyncDispose]());

const claim = (admin: Client, name: string, spec: V1PersistentVolumeClaim["spec"], annotations = {}) =>
  admin.create(PersistentVolumeClaim, {
    metadata: { name, namespace, annotations },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  });
const bound = mergePatch({ status: { phase: "Bound", capacity: { storage: "1Gi" } } });
const requested = { "volume.kubernetes.io/storage-provisioner": driver };

async function attachment(admin: Client, volume: string, nodeName: string, finalizers: string[] = []): Promise<void> {
  const name = `csi-${volume}`;
  await admin.create(VolumeAttachment, {
    metadata: { name, finalizers },
    spec: { attacher: driver, nodeName, source: { persistentVolumeName: volume } },
  });
}

const volume = (admin: Client, name: string, claimName: string, uid = "") =>
  admin.create(PersistentVolume, {
    metadata: { name },
    spec: {
      ...{ accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, storageClassName: "fast" },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: claimName, uid },
      csi: { driver, volumeHandle: name },
    },
  });

/** Returns what to ask about it. */
async function podOnNode(admin: Client, name: string, claimName: string): Promise<string> {
  await admin.create(Pod, {
    metadata: { name, namespace },
    spec: {
      nodeName: "n1",
      containers: [{ name: "main", image: "app" }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName } }],
    },
  });
  return `pod ${name}`;
}

/** How to come into a situation of the page, and what to ask about then. */
const ways: Readonly<Record<string, (admin: Client) => Promise<string>>> = {
  "A claim stays Pending: no pod uses it": async (admin) => {
    await claim(admin, "unused", { storageClassName: "late" });
    return "pvc unused";
  },
  "A claim stays Pending: its class does not exist": async (admin) => {
    await claim(admin, "classless", { storageClassName: "gone" });
    return "pvc classless";
  },
  "A claim stays Pending: no provisioner runs": async (admin) => {
    await claim(admin, "alone", { storageClassName: "fast" }, requested);
    return "pvc alone";
  },
  "A claim waits for a volume populator": async (admin) => {
    const dataSourceRef = { apiGroup: "backup.example.com", kind: "Backup", name: "nightly" };
    await claim(admin, "populated", { storageClassName: "fast", dataSourceRef }, requested);
    return "pvc populated";
  },
  "A pod waits: its volume is still attached to another node": async (admin) => {
    const { metadata } = await claim(admin, "moving", { storageClassName: "fast", volumeName: "pv-moving" });
    await volume(admin, "pv-moving", "moving", metadata?.uid);
    await admin.patch(PersistentVolumeClaim, { namespace, name: "moving" }, bound, { subresource: "status" });
    await attachment(admin, "pv-moving", "n2");
    return await podOnNode(admin, "app", "moving");
  },
  "A pod waits: its volumes are not mounted": async (admin) => {
    const { metadata } = await claim(admin, "hanging", { storageClassName: "fast", volumeName: "pv-hanging" });
    await volume(admin, "pv-hanging", "hanging", metadata?.uid);
    await admin.patch(PersistentVolumeClaim, { namespace, name: "hanging" }, bound, { subresource: "status" });
    await attachment(admin, "pv-hanging", "n1");
    await admin.patch(VolumeAttachment, { name: "csi-pv-hanging" }, mergePatch({ status: { attached: true } }), { subresource: "status" });
    return await podOnNode(admin, "hanging", "hanging");
  },
  "A VolumeAttachment does not go away": async (admin) => {
    await admin.create(Lease, {
      metadata: { name: "csi-sidecars-csi-example-com", namespace },
      spec: { holderIdentity: "host-1", leaseDurationSeconds: 3_600, renewTime: new Date().toISOString().replace("Z", "000Z") },
    });
    await attachment(admin, "pv-lost", "n1", ["external-attacher/csi-example-com"]);
    await admin.delete(VolumeAttachment, { name: "csi-pv-lost" });
    return "volumeattachment csi-pv-lost";
  },
  "The driver is not registered on a node": async (admin) => {
    await attachment(admin, "pv-there", "n2");
    return "node n2";
  },
  "A snapshot is not ready": async (admin) => {
    await admin.create(Lease, {
      metadata: { name: "snapshot-controller-leader", namespace },
      spec: { holderIdentity: "host-2", leaseDurationSeconds: 3_600, renewTime: new Date().toISOString().replace("Z", "000Z") },
    });
    await admin.create(VolumeSnapshotClass, { metadata: { name: "gold" }, driver, deletionPolicy: "Delete" });
    await admin.create(VolumeSnapshot, {
      metadata: { name: "backup", namespace },
      spec: { source: { persistentVolumeClaimName: "moving" }, volumeSnapshotClassName: "gold" },
    });
    return "volumesnapshot backup";
  },
};

test.each(Object.keys(ways))("%s: why says what docs/troubleshooting.md quotes", async (title) => {
  const quoted = situations.find((situation) => situation.title === title)?.looks.get("why") ?? [];
  expect(quoted).not.toEqual([]);
  const object = (await ways[title]?.(cluster.admin)) ?? "";
  const says = (text: string) => quoted.some((quote) => quote.split("…").every((piece) => text.includes(piece.trim())));
  await why(cluster, object, (answer) => says(JSON.stringify(answer)));
});
