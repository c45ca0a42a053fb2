import { expect, test } from "bun:test";
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@csi-sidecars/kube";
import { claim } from "../testing/manifests.ts";
import { startWorld } from "../testing/provisioner-world.ts";

const driver = "ebs.csi.aws.com";
const inTree = "kubernetes.io/aws-ebs";

test("a claim of the plugin that the driver replaced gets a volume of that plugin, and gives it back", async () => {
  await using world = await startWorld({ driver: { name: driver } });
  await world.create(StorageClass, { metadata: { name: "fast" }, provisioner: inTree, parameters: { fsType: "xfs", iopsPerGB: "3" } });
  const annotations = { "volume.kubernetes.io/storage-provisioner": inTree, "pv.kubernetes.io/migrated-to": driver };
  await world.create(PersistentVolumeClaim, claim("data", {}, { annotations }));
  const { volume } = await world.bound("data");
  expect(volume.spec?.awsElasticBlockStore).toMatchObject({ volumeID: "vol-1", fsType: "xfs" });
  expect(volume.spec?.csi).toBeUndefined();
  expect(volume.metadata?.annotations?.["pv.kubernetes.io/provisioned-by"]).toBe(inTree);
  const [call] = world.driver.calls("CreateVolume");
  expect(call?.request.parameters).toEqual({ iopsPerGB: "3", allowautoiopspergbincrease: "true" });
  await world.deleteClaim("data");
  await world.untilGone(PersistentVolume, { name: volume.metadata?.name ?? "" });
  expect(world.driver.calls("DeleteVolume").map(({ request }) => request.volumeId)).toEqual(["vol-1"]);
});

test("claims of the plugin that were not migrated are left alone; the driver's own are served as ever", async () => {
  await using world = await startWorld({ driver: { name: driver }, controllers: false });
  await world.create(StorageClass, { metadata: { name: "old" }, provisioner: inTree });
  await world.create(StorageClass, { metadata: { name: "fast" }, provisioner: driver });
  const left = (provisioner: string) => ({ annotations: { "volume.kubernetes.io/storage-provisioner": provisioner } });
  await world.create(PersistentVolumeClaim, claim("theirs", { storageClassName: "old" }, left(inTree)));
  const { metadata } = await world.create(PersistentVolumeClaim, claim("ours", {}, left(driver)));
  const { spec } = await world.until(PersistentVolume, { name: `pvc-${metadata?.uid}` }, () => true);
  expect(spec?.csi?.driver).toBe(driver);
  expect(world.driver.calls("CreateVolume")).toHaveLength(1);
});

test("a volume that the plugin cannot describe is deleted", async () => {
  const gce = "pd.csi.storage.gke.io";
  await using world = await startWorld({ driver: { name: gce } });
  await world.create(StorageClass, { metadata: { name: "fast" }, provisioner: "kubernetes.io/gce-pd" });
  const annotations = { "volume.kubernetes.io/storage-provisioner": "kubernetes.io/gce-pd", "pv.kubernetes.io/migrated-to": gce };
  await world.create(PersistentVolumeClaim, claim("data", {}, { annotations }));
  await world.untilEvent("data", "could not get PD name from volume handle vol-1");
  await world.deleteClaim("data");
  await world.untilTrue(() => world.driver.volumes.size === 0);
  expect(world.driver.calls("DeleteVolume")[0]?.request.volumeId).toBe("vol-1");
});
