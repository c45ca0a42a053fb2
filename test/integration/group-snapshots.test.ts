import { expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import {
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { snapshotController } from "@csi-sidecars/snapshot-controller";
import { snapshotter } from "@csi-sidecars/snapshotter";
import {
  type ComponentWorld,
  type CrashPoint,
  crashAtEveryStep,
  fastFlags,
  presets,
  startComponentWorld,
  type TestedComponent,
  withRestart,
} from "@csi-sidecars/testcluster";

// The controller and the sidecar, as two processes with users and roles of their own, and a driver that has the snapshots.

const inDefault = (name: string) => ({ name, namespace: "default" });
const driver = { name: "d.example.com", capabilities: { ...presets.full, node: [] } };

async function startGroups(): Promise<ComponentWorld> {
  const world = await startComponentWorld({ definitions: snapshotDefinitions, driver });
  for (const name of ["a", "b"]) await addClaim(world, name);
  await world.create(VolumeGroupSnapshotClass, { metadata: { name: "gold" }, driver: driver.name, deletionPolicy: "Delete" });
  return world;
}

/** A claim that is bound to a volume of the driver. */
async function addClaim({ admin, driver: storage }: ComponentWorld, name: string): Promise<void> {
  const size = { storage: "1Gi" };
  const accessModes = ["ReadWriteOnce" as const];
  storage.addVolume({ id: `handle-${name}`, capacityBytes: 2n ** 30n });
  const { metadata } = await admin.create(PersistentVolumeClaim, {
    metadata: { ...inDefault(name), labels: { app: "db" } },
    spec: { accessModes, resources: { requests: size }, volumeName: `pv-${name}`, storageClassName: "" },
  });
  await admin.create(PersistentVolume, {
    metadata: { name: `pv-${name}` },
    spec: {
      ...{ capacity: size, accessModes, claimRef: { ...inDefault(name), uid: metadata?.uid } },
      csi: { driver: driver.name, volumeHandle: `handle-${name}` },
    },
  });
  await admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status: { phase: "Bound" } }), { subresource: "status" });
}

/** Takes a group and deletes it; the objects and the driver agree all the time, and nothing is left in the end. */
async function takeAndDelete(world: ComponentWorld): Promise<void> {
  const { admin, driver } = world;
  const list = async () => [
    await admin.list(VolumeGroupSnapshotContent),
    await admin.list(VolumeSnapshotContent),
    await admin.list(VolumeSnapshot),
  ];
  const spec = { source: { selector: { matchLabels: { app: "db" } } }, volumeGroupSnapshotClassName: "gold" };
  await world.create(VolumeGroupSnapshot, { metadata: inDefault("group"), spec });
  await world.until(VolumeGroupSnapshot, inDefault("group"), ({ status }) => status?.readyToUse);
  await world.untilTrue(async () => (await admin.list(VolumeSnapshot)).items.every(({ status }) => status?.readyToUse));
  expect((await list()).map(({ items }) => items.length)).toEqual([1, 2, 2]);
  expect([driver.groups.size, driver.snapshots.size]).toEqual([1, 2]);
  const handles = (await admin.list(VolumeSnapshotContent)).items.map(({ status }) => status?.snapshotHandle ?? "");
  expect(new Set(handles)).toEqual(new Set(driver.snapshots.keys()));
  await admin.delete(VolumeGroupSnapshot, inDefault("group"));
  await world.untilGone(VolumeGroupSnapshot, inDefault("group"));
  await world.untilTrue(async () => (await list()).every(({ items }) => items.length === 0));
  expect([driver.groups.size, driver.snapshots.size]).toEqual([0, 0]);
}

test("a group snapshot is taken and deleted, each process with its own role", async () => {
  await using world = await startGroups();
  const controller = await world.add(snapshotController, { flags: fastFlags });
  const sidecar = await world.add(snapshotter, { flags: fastFlags });
  await takeAndDelete(world);
  expect(world.driver.calls("CreateVolumeGroupSnapshot")).toHaveLength(1);
  expect(world.driver.calls("DeleteVolumeGroupSnapshot")).toHaveLength(1);
  expect(world.driver.calls("DeleteSnapshot")).toHaveLength(0);
  const refused = [...(await controller.refused()), ...(await sidecar.refused())].filter((request) => !request.startsWith("429 watch"));
  expect(refused).toEqual([]);
});

const runs = process.env.TESTCLUSTER === "real" ? { stride: 6 } : { atOnce: 6 };

async function crashing(crashPoint: CrashPoint, which: "controller" | "sidecar"): Promise<void> {
  await using world = await startGroups();
  const crashed = { flags: fastFlags, crashPoint, stopped: true };
  const [controller, sidecar] = [
    await world.add(snapshotController, which === "controller" ? crashed : { flags: fastFlags }),
    await world.add(snapshotter, which === "sidecar" ? crashed : { flags: fastFlags }),
  ];
  const process: TestedComponent = which === "controller" ? controller : sidecar;
  await withRestart(process, () => takeAndDelete(world));
}

test.each(["controller", "sidecar"] as const)(
  "a group snapshot is taken and deleted whenever the %s crashes",
  (which) => crashAtEveryStep((point) => crashing(point, which), runs),
  240_000,
);
