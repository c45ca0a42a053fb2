import { expect, test } from "bun:test";
import { PersistentVolume, type V1PersistentVolume } from "@csi-sidecars/kube";
import { fastFlags, startComponentWorld } from "@csi-sidecars/testcluster";
import { templateSidecar } from "./component.ts";
import { driverAnnotation } from "./plan-volume.ts";

const driverName = "driver.example.com";
const volume = (name: string, driver: string): V1PersistentVolume => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, csi: { driver, volumeHandle: name } },
});

test("volumes of the driver are marked with one request each and the role that is shipped, others are left alone", async () => {
  await using world = await startComponentWorld({ driver: { name: driverName } });
  await world.create(PersistentVolume, volume("before", driverName));
  await world.create(PersistentVolume, volume("theirs", "other.example.com"));
  const sidecar = await world.add(templateSidecar, { flags: fastFlags });
  await world.create(PersistentVolume, volume("after", driverName));

  for (const name of ["before", "after"]) {
    await world.until(PersistentVolume, { name }, ({ metadata }) => metadata?.annotations?.[driverAnnotation] === driverName);
  }
  expect((await sidecar.requests()).toSorted()).toEqual(["patch persistentvolumes after", "patch persistentvolumes before"]);
  expect(await sidecar.refused()).toEqual([]);
  await sidecar.stop();
});

test("a write that fails is repeated", async () => {
  await using world = await startComponentWorld({ driver: { name: driverName } });
  const sidecar = await world.add(templateSidecar, { flags: fastFlags, stopped: true });
  await world.create(PersistentVolume, volume("data", driverName));
  sidecar.disturb({ resource: PersistentVolume, how: "failed" });
  await sidecar.run();
  await world.until(PersistentVolume, { name: "data" }, ({ metadata }) => metadata?.annotations?.[driverAnnotation] === driverName);
  expect(await sidecar.requests()).toEqual(["patch persistentvolumes data"]);
  await sidecar.stop();
});
