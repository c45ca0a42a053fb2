import { expect, test } from "bun:test";
import { PersistentVolume } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { driverName } from "./testing/manifests.ts";
import { startWorld } from "./testing/provisioner-world.ts";

test("a claim gets its volume: one call, one request, all events; and gives it back: one call, two requests", async () => {
  await using world = await startWorld();
  await world.createClass("fast", { parameters: { type: "ssd", "csi.storage.k8s.io/fstype": "xfs" }, mountOptions: ["noatime"] });
  const { metadata } = await world.createClaim("data");
  const { volume } = await world.bound("data");
  const uid = metadata?.uid;
  expect(volume.metadata?.name).toBe(`pvc-${uid}`);
  expect(volume.metadata?.annotations).toMatchObject({
    "pv.kubernetes.io/provisioned-by": driverName,
    "volume.kubernetes.io/provisioner-deletion-secret-name": "",
    "volume.kubernetes.io/provisioner-deletion-secret-namespace": "",
  });
  expect(volume.metadata?.finalizers?.toSorted()).toEqual([
    "external-provisioner.volume.kubernetes.io/finalizer",
    "kubernetes.io/pv-protection",
  ]);
  expect(volume.spec).toMatchObject({
    accessModes: ["ReadWriteOnce"],
    capacity: { storage: "1Gi" },
    claimRef: { name: "data", namespace: "default", uid },
    csi: { driver: driverName, volumeHandle: "vol-1", fsType: "xfs" },
    mountOptions: ["noatime"],
    persistentVolumeReclaimPolicy: "Delete",
    storageClassName: "fast",
    volumeMode: "Filesystem",
  });
  expect(world.driver.calls("CreateVolume").map(({ request }) => request)).toMatchObject([
    { name: `pvc-${uid}`, parameters: { type: "ssd" }, capacityRange: { requiredBytes: 1073741824n }, secrets: {}, mutableParameters: {} },
  ]);
  await world.untilEvent("data", `ProvisioningSucceeded: Successfully provisioned volume pvc-${uid}`);
  expect(await world.events("data")).toContain('Provisioning: External provisioner is provisioning volume for claim "default/data"');
  expect(await world.requests()).toEqual(["create persistentvolumes"]);

  await world.deleteClaim("data");
  await world.untilGone(PersistentVolume, { name: `pvc-${uid}` });
  expect(world.driver.volumes.size).toBe(0);
  expect(world.driver.calls("DeleteVolume")).toHaveLength(1);
  expect(await world.requests()).toEqual(["create persistentvolumes", "delete persistentvolumes", "patch persistentvolumes"]);
  expect(await world.refused()).toEqual([]);
});

test("an answer that was lost is asked for again; the volume is made once", async () => {
  await using world = await startWorld({ driver: { script: { CreateVolume: [step.lost, step.lostBefore] } } });
  await world.createClass();
  await world.createClaim("data");
  await world.bound("data");
  expect(world.driver.calls("CreateVolume")).toHaveLength(3);
  expect(world.driver.volumes.size).toBe(1);
  expect(await world.requests()).toEqual(["create persistentvolumes"]);
});
