import { connectDriver } from "@csi-sidecars/csi";
import {
  type KubeObject,
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  type V1PersistentVolumeClaim,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { presets, step } from "@csi-sidecars/testcluster";
import { annotation, finalizer } from "../names.ts";
import { lostAfterTwoNodes } from "./full-nodes.ts";
import { claim, driverName, inDefault, placing } from "./manifests.ts";
import type { ProvisionerWorld } from "./provisioner-world.ts";
import { addNode, endOf, nodeGivenBack, type Scenario, selectNode } from "./scenario.ts";

const filling = { controller: ["CREATE_DELETE_VOLUME", "CREATE_DELETE_SNAPSHOT", "CLONE_VOLUME"] } as const;
const clone = { dataSource: { kind: "PersistentVolumeClaim", name: "source" } };
const restore = { dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "backup" } };
/** The volume that is there before the scenario and stays. */
export const handMade = "hand-made";
/** A shared server remembers the claims of other tests of a driver. */
const forgetting = `forgetting-${crypto.randomUUID().slice(0, 8)}.example.com`;
const ebs = { driver: "ebs.csi.aws.com", inTree: "kubernetes.io/aws-ebs" };

/** All that a provisioner does, from the first request to the last. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  "a volume is made and deleted, with its finalizer": {
    async run(world) {
      await world.createClass();
      await world.createClaim("data");
      const { volume } = await world.bound("data");
      await world.until(PersistentVolume, { name: volume.metadata?.name ?? "" }, ({ metadata }) =>
        metadata?.finalizers?.includes(finalizer.volume),
      );
      await endOf(world, "data");
    },
  },
  "a claim is cloned, and its source deleted": {
    options: { driver: { capabilities: { ...presets.minimal, ...filling } } },
    async run(world) {
      await world.createClass();
      await world.createClaim("source");
      await world.bound("source");
      await world.createClaim("copy", clone);
      await world.bound("copy");
      await endOf(world, "source");
      await endOf(world, "copy");
    },
  },
  "the source is deleted while the clone is made": {
    options: { driver: { capabilities: { ...presets.minimal, ...filling } }, flags: { timeout: 150 } },
    async run(world) {
      await world.createClass();
      await world.createClaim("source");
      await world.bound("source");
      world.driver.always("CreateVolume", step.hangAfter);
      const asked = world.driver.calls("CreateVolume").length;
      await world.createClaim("copy", clone);
      await world.driver.called("CreateVolume", asked + 1);
      await world.deleteClaim("source");
      world.driver.always("CreateVolume", step.act);
      await world.bound("copy");
      await world.untilGone(PersistentVolumeClaim, inDefault("source"));
      await endOf(world, "copy");
    },
  },
  "a snapshot is restored": {
    options: {
      ...{ driver: { capabilities: { ...presets.minimal, ...filling } }, customKinds: "snapshots" },
      flags: { snapshotOrphanSweepInterval: 100 },
    },
    async run(world) {
      await addSnapshot(world);
      await world.createClass();
      await world.createClaim("data", restore);
      await world.bound("data");
      await snapshotReleased(world);
      await endOf(world, "data");
    },
  },
  "a restore is given up, and the sweep lets the snapshot go": {
    options: {
      ...{ driver: { capabilities: { ...presets.minimal, ...filling } }, customKinds: "snapshots" },
      flags: { snapshotOrphanSweepInterval: 100 },
    },
    async run(world) {
      world.driver.always("CreateVolume", step.fail("Internal", "cannot be restored"));
      await addSnapshot(world);
      await world.createClass();
      await world.createClaim("data", restore);
      await world.driver.called("CreateVolume");
      await endOf(world, "data");
      await snapshotReleased(world);
    },
  },
  "a volume of the plugin that the driver replaced": {
    options: { driver: { name: ebs.driver } },
    async run(world) {
      await world.create(StorageClass, { metadata: { name: "fast" }, provisioner: ebs.inTree });
      const annotations = { "volume.kubernetes.io/storage-provisioner": ebs.inTree, "pv.kubernetes.io/migrated-to": ebs.driver };
      await world.create(PersistentVolumeClaim, claim("data", {}, { annotations }));
      await world.bound("data");
      await endOf(world, "data");
    },
  },
  "there is no room on the first node, and the scheduler chooses another": {
    options: { driver: { capabilities: placing } },
    async run(world) {
      world.driver.always("CreateVolume", step.fail("ResourceExhausted", "full"));
      for (const name of ["a", "b"]) await addNode(world, name);
      await world.createClass("late", { volumeBindingMode: "WaitForFirstConsumer" });
      const annotations = { [annotation.selectedNode]: "node-a" };
      await world.create(PersistentVolumeClaim, claim("data", { storageClassName: "late" }, { annotations }));
      await nodeGivenBack(world);
      world.driver.always("CreateVolume", step.act);
      await selectNode(world, "node-b");
      await world.bound("data");
      await endOf(world, "data");
    },
  },
  ...lostAfterTwoNodes("with finalizers", { flags: { inProgressFinalizer: true } }),
  ...lostAfterTwoNodes("without finalizers", { driver: { name: forgetting }, flags: { cleanupOrphanedVolumes: true } }),
  "with finalizers, a volume is made": {
    options: { flags: { inProgressFinalizer: true } },
    async run(world) {
      await world.createClass();
      await world.createClaim("data");
      await world.bound("data");
      await world.until(PersistentVolumeClaim, inDefault("data"), (found) => !isMarked(found));
      await endOf(world, "data");
    },
  },
  "with finalizers, the claim is deleted while nobody knows whether the driver makes its volume": {
    options: { flags: { inProgressFinalizer: true, timeout: 150 } },
    async run(world) {
      world.driver.always("CreateVolume", step.hangAfter);
      await world.createClass();
      await world.createClaim("data");
      await world.driver.called("CreateVolume");
      await world.deleteClaim("data");
      world.driver.always("CreateVolume", step.act);
      await endOf(world, "data");
    },
  },
  "without finalizers, the claim is deleted while nobody knows, and its volume cleaned up": {
    options: { driver: { name: forgetting }, flags: { cleanupOrphanedVolumes: true, timeout: 150 } },
    async run(world) {
      world.driver.always("CreateVolume", step.hangAfter);
      await world.createClass("fast", { provisioner: forgetting });
      await world.createClaim("data");
      await world.driver.called("CreateVolume");
      await world.deleteClaim("data");
      world.driver.always("CreateVolume", step.act);
      await endOf(world, "data");
    },
  },
  "with finalizers, the driver refuses": {
    options: { flags: { inProgressFinalizer: true } },
    async run(world) {
      world.driver.always("CreateVolume", step.fail("Internal", "no"));
      await world.createClass();
      await world.createClaim("data");
      await world.driver.called("CreateVolume", 2);
      await endOf(world, "data");
    },
  },
};

/** A snapshot of a volume that the driver has, ready to be restored. */
async function addSnapshot(world: ProvisionerWorld): Promise<void> {
  // On a shared server the last one of a name may still be on its way out.
  const content = `content-${crypto.randomUUID()}`;
  world.driver.addVolume({ id: handMade });
  using connection = await connectDriver({ address: world.driver.address });
  const { snapshot } = await connection.driver.controller.createSnapshot({ name: "backup", sourceVolumeId: handMade });
  const { metadata } = await world.create(VolumeSnapshot, { metadata: inDefault("backup"), spec: { source: {} } });
  const spec = { driver: driverName, volumeSnapshotRef: { ...inDefault("backup"), uid: metadata?.uid }, sourceVolumeMode: "Filesystem" };
  await world.create(VolumeSnapshotContent, { metadata: { name: content }, spec });
  const setStatus = (kind: typeof VolumeSnapshot | typeof VolumeSnapshotContent, name: string, status: object) =>
    world.admin.patch<KubeObject>(kind, inDefault(name), mergePatch({ status }), { subresource: "status" });
  await setStatus(VolumeSnapshotContent, content, { snapshotHandle: snapshot?.snapshotId });
  await setStatus(VolumeSnapshot, "backup", { boundVolumeSnapshotContentName: content, readyToUse: true, restoreSize: "1Gi" });
}

async function snapshotReleased(world: ProvisionerWorld): Promise<void> {
  await world.until(VolumeSnapshot, inDefault("backup"), ({ metadata }) => !metadata?.finalizers?.includes(finalizer.snapshotSource));
}

function isMarked({ metadata }: V1PersistentVolumeClaim): boolean {
  return metadata?.finalizers?.includes(finalizer.inProgress) ?? false;
}
