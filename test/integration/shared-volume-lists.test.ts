import { expect, test } from "bun:test";
import { attacher } from "@csi-sidecars/attacher";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { healthMonitor } from "@csi-sidecars/health-monitor";
import { Event, mergePatch, PersistentVolume, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { presets, startCluster, startComponent, startScriptedDriver } from "@csi-sidecars/testcluster";

const name = "csi.example.com";
const ref = { namespace: "default", name: "data" };
const capabilities = { ...presets.attachable, controller: [...presets.attachable.controller, "VOLUME_CONDITION" as const] };

test("the attacher's lists of volumes are the health monitor's too", async () => {
  await using cluster = await startCluster();
  const { admin } = cluster;
  const claim = await admin.create(PersistentVolumeClaim, {
    metadata: ref,
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "", volumeName: "pv" },
  });
  await admin.create(PersistentVolume, {
    metadata: { name: "pv" },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      claimRef: { ...ref, uid: claim.metadata?.uid },
      csi: { driver: name, volumeHandle: "handle" },
    },
  });
  await admin.patch(PersistentVolume, { name: "pv" }, mergePatch({ status: { phase: "Bound" } }), { subresource: "status" });
  await using driver = await startScriptedDriver({ name, capabilities, volumes: [{ id: "handle", abnormal: "broken" }] });
  const clock = new FakeClock(Date.now());
  await using _run = await startComponent(healthMonitor, { cluster, driver, clock, beside: [attacher] });
  const lists = () => driver.calls("ListVolumes").length;
  const told = async () => (await admin.list(Event)).items.find(({ reason }) => reason === "VolumeConditionAbnormal")?.count ?? 0;
  await until("each component's first list", () => lists() === 2);
  await until("the first report", async () => (await told()) === 1);
  for (let minute = 1; minute <= 10; minute++) {
    await clock.advance(60_000);
    await until(`the list of minute ${minute}`, () => lists() >= 2 + minute);
    await clock.advance(0);
  }
  await until("the third report", async () => (await told()) === 3);
  expect(lists()).toBe(12);
});
