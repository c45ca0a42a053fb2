import { expect, test } from "bun:test";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { CSIDriver, mergePatch, Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeSnapshot } from "@csi-sidecars/kube";
import { type ComponentWorld, presets, startComponentWorld } from "@csi-sidecars/testcluster";
import { healthMonitor } from "../../components/health-monitor/component.ts";
import { blocking, why } from "./testing/why.ts";

const driverName = "csi.example.com";
const inDefault = (name: string) => ({ namespace: "default", name });
/** Checks volumes all the time. */
const flags = { kubeApiQps: -1, listVolumesInterval: 100, monitorInterval: 100 };

/** Creates claim `default/data`, bound to volume `pv-data`, and pod `default/app` that uses it on node `n1`. */
async function addBoundClaim({ admin, driver }: ComponentWorld): Promise<void> {
  await admin.create(CSIDriver, { metadata: { name: driverName }, spec: { attachRequired: false } });
  driver.addVolume({ id: "handle" });
  const shared = { accessModes: ["ReadWriteOnce" as const], storageClassName: "" };
  const { metadata } = await admin.create(PersistentVolumeClaim, {
    metadata: inDefault("data"),
    spec: { ...shared, resources: { requests: { storage: "1Gi" } }, volumeName: "pv-data" },
  });
  await admin.create(PersistentVolume, {
    metadata: { name: "pv-data" },
    spec: {
      ...{ ...shared, capacity: { storage: "1Gi" }, persistentVolumeReclaimPolicy: "Retain" },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", ...inDefault("data"), uid: metadata?.uid ?? "" },
      csi: { driver: driverName, volumeHandle: "handle" },
    },
  });
  const isBound = (more: object = {}) => mergePatch({ status: { phase: "Bound", ...more } });
  await admin.patch(PersistentVolume, { name: "pv-data" }, isBound(), { subresource: "status" });
  await admin.patch(PersistentVolumeClaim, inDefault("data"), isBound({ capacity: { storage: "1Gi" } }), { subresource: "status" });
  await admin.create(Node, { metadata: { name: "n1" } });
  await admin.create(Pod, {
    metadata: inDefault("app"),
    spec: {
      nodeName: "n1",
      containers: [{ name: "main", image: "app" }],
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
    },
  });
  await admin.patch(Pod, inDefault("app"), mergePatch({ status: { phase: "Running" } }), { subresource: "status" });
}

const controller = { lists: ["LIST_VOLUMES", "VOLUME_CONDITION"], gets: ["GET_VOLUME", "VOLUME_CONDITION"] } as const;

test.each(["lists", "gets"] as const)(
  "a claim, its volume and its pod, while the driver reports the volume as abnormal: it %s volumes",
  async (mode) => {
    await using world = await startComponentWorld({
      definitions: snapshotDefinitions,
      driver: { name: driverName, capabilities: { ...presets.minimal, controller: controller[mode] } },
    });
    const { admin, cluster, driver } = world;
    await addBoundClaim(world);
    await admin.create(VolumeSnapshot, { metadata: inDefault("nightly"), spec: { source: { persistentVolumeClaimName: "data" } } });
    await admin.patch(VolumeSnapshot, inDefault("nightly"), mergePatch({ status: { readyToUse: true } }), { subresource: "status" });
    const isFine = "nothing is waiting: the claim is bound";
    await why(cluster, "pvc data", ({ summary }) => summary === isFine);

    await world.add(healthMonitor, { flags });
    const volume = driver.volumes.get("handle");
    if (!volume) throw new Error("there is no volume");
    volume.abnormal = "disk on fire";
    const isAbnormal = "the driver reports that the volume is abnormal: disk on fire";
    const found = blocking(await why(cluster, "pvc data", ({ state }) => state === "failed"));
    expect(found?.what).toBe(isAbnormal);
    expect(found?.evidence).toEqual([
      {
        object: "PersistentVolumeClaim default/data",
        field: expect.stringMatching(/^event VolumeConditionAbnormal/),
        value: "disk on fire",
        since: expect.stringMatching(/^\d{4}-/),
      },
    ]);
    expect(found?.remedy).toContain("restore it from a snapshot or a backup; the newest snapshot that can be restored is default/nightly");
    expect(await why(cluster, "pv pv-data", ({ summary }) => summary === isAbnormal)).toMatchObject({ state: "failed" });
    const ofPod = `PersistentVolumeClaim default/data: ${isAbnormal}`;
    expect(await why(cluster, "pod app", ({ summary }) => summary === ofPod)).toMatchObject({ state: "failed" });

    volume.abnormal = undefined;
    const recovered = await why(cluster, "pvc data", ({ summary }) => summary === isFine);
    expect(recovered.steps.map(({ state, what }) => `${state}: ${what}`)).toEqual([
      "done: the claim is bound to volume pv-data",
      "done: the driver reports that the volume is healthy again",
    ]);
    await why(cluster, "pod app", ({ summary }) => summary.startsWith("nothing is waiting"));
  },
);

test("pods of a claim on a node that has failed, until it has recovered", async () => {
  await using world = await startComponentWorld({
    driver: { name: driverName, capabilities: { ...presets.minimal, controller: controller.lists } },
  });
  const { admin, cluster } = world;
  await addBoundClaim(world);
  const ready = (status: string) =>
    admin.patch(Node, { name: "n1" }, mergePatch({ status: { conditions: [{ type: "Ready", status }] } }), { subresource: "status" });
  await ready("False");
  await world.add(healthMonitor, { flags: { ...flags, enableNodeWatcher: true, nodeNotReadyDuration: 1 } });
  const failed = "pod default/app uses the volume on node n1, which has failed";
  const found = blocking(await why(cluster, "pvc data", ({ summary }) => summary === failed));
  expect(found?.remedy).toContain("node.kubernetes.io/out-of-service");
  await why(cluster, "pv pv-data", ({ summary }) => summary === failed);
  await ready("True");
  await why(cluster, "pvc data", ({ state }) => state === "done");
});
