import { describe, expect, test } from "bun:test";
import { type KubeObject, mergePatch, Namespace, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { presets, step } from "@csi-sidecars/testcluster";
import { ReferenceGrant, VolumeSnapshot, VolumeSnapshotContent } from "../kinds.ts";
import { claim, driverName, inDefault } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld, type WorldOptions } from "../testing/provisioner-world.ts";

const restoring = { ...presets.minimal, controller: ["CREATE_DELETE_VOLUME", "CREATE_DELETE_SNAPSHOT", "CLONE_VOLUME"] } as const;
const options: WorldOptions = { driver: { capabilities: restoring }, customKinds: "snapshots" };
const snapshotGroup = "snapshot.storage.k8s.io";
const fromSnapshot = { dataSource: { apiGroup: snapshotGroup, kind: "VolumeSnapshot", name: "backup" } };
const sourceFinalizer = "provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection";
const cloneFinalizer = "provisioner.storage.kubernetes.io/cloning-protection";

/** A snapshot of a volume that the driver has, ready to be restored. */
async function snapshot(
  world: ProvisionerWorld,
  { namespace = "default", restoreSize = "1Gi", ready = true, mode = "Filesystem" } = {},
): Promise<void> {
  world.driver.addVolume({ id: "source" });
  const { controller } = await connection(world);
  const made = await controller.createSnapshot({ name: "backup", sourceVolumeId: "source" });
  const object = await world.create(VolumeSnapshot, {
    metadata: { name: "backup", namespace, finalizers: ["example.com/other"] },
    spec: { source: {} },
  });
  const volumeSnapshotRef = { name: "backup", namespace, uid: object.metadata?.uid };
  const spec = { driver: driverName, volumeSnapshotRef, sourceVolumeMode: mode };
  await world.create(VolumeSnapshotContent, { metadata: { name: "content" }, spec });
  const patch = (kind: typeof VolumeSnapshot | typeof VolumeSnapshotContent, ref: { name: string; namespace?: string }, status: object) =>
    world.admin.patch<KubeObject>(kind, ref, mergePatch({ status }), { subresource: "status" });
  await patch(VolumeSnapshotContent, { name: "content" }, { snapshotHandle: made.snapshot?.snapshotId });
  await patch(VolumeSnapshot, { name: "backup", namespace }, { boundVolumeSnapshotContentName: "content", readyToUse: ready, restoreSize });
}

async function connection(world: ProvisionerWorld) {
  const { connectDriver } = await import("@csi-sidecars/csi");
  return (await connectDriver({ address: world.driver.address })).driver;
}

const finalizersOf = async (world: ProvisionerWorld) => (await world.admin.get(VolumeSnapshot, inDefault("backup"))).metadata?.finalizers;

describe("restoring a snapshot", () => {
  test("fills the volume, and keeps the snapshot as long as that takes", async () => {
    await using world = await startWorld(options);
    world.driver.script("CreateVolume", step.waitFor("looked"));
    await snapshot(world);
    await world.createClass();
    await world.createClaim("data", fromSnapshot);
    await world.driver.called("CreateVolume");
    expect(await finalizersOf(world)).toEqual(["example.com/other", sourceFinalizer]);
    world.driver.release("looked");
    await world.bound("data");
    await world.until(VolumeSnapshot, inDefault("backup"), ({ metadata }) => !metadata?.finalizers?.includes(sourceFinalizer));
    expect(await finalizersOf(world)).toEqual(["example.com/other"]);
    expect(world.driver.calls("CreateVolume")[0]?.request.volumeContentSource).toEqual({
      type: { $case: "snapshot", snapshot: { snapshotId: "snap-1" } },
    });
    expect(await world.requests()).toEqual([
      "get volumesnapshots",
      "get volumesnapshotcontents",
      "update volumesnapshots",
      "create persistentvolumes",
      "get volumesnapshots",
      "update volumesnapshots",
    ]);
    expect(await world.refused()).toEqual([]);
  });

  test.each([
    [
      "too small a claim",
      { restoreSize: "2Gi" },
      "requested volume size 1073741824 is less than the size 2147483648 for the source snapshot backup",
    ],
    ["a snapshot that is not ready", { ready: false }, "snapshot backup is not Ready"],
    ["another volume mode", { mode: "Block" }, "modifies the mode of the source volume but does not have permission to do so"],
  ])("%s is refused and leaves no trace", async (_, how, text) => {
    await using world = await startWorld(options);
    await snapshot(world, how);
    await world.createClass();
    await world.createClaim("data", fromSnapshot);
    await world.untilEvent("data", text);
    expect(world.driver.calls("CreateVolume")).toEqual([]);
    expect(await finalizersOf(world)).toEqual(["example.com/other"]);
  });

  test("goes on, with the same request, when the snapshot is deleted while the driver works", async () => {
    await using world = await startWorld({ ...options, flags: { timeout: 100 } });
    world.driver.always("CreateVolume", step.hang);
    await snapshot(world);
    await world.createClass();
    await world.createClaim("data", fromSnapshot);
    await world.untilEvent("data", "ProvisioningFailed: rpc error: code = DeadlineExceeded");
    await world.admin.delete(VolumeSnapshot, inDefault("backup"));
    world.driver.always("CreateVolume", step.act);
    await world.bound("data");
    const requests = world.driver.calls("CreateVolume").map(({ request }) => request);
    for (const request of requests) expect(request).toEqual(requests[0]!);
  });

  test("an answer that does not say what the volume was filled with is not believed", async () => {
    await using world = await startWorld(options);
    world.driver.script(
      "CreateVolume",
      step.reply((_, carryOut) => {
        const { volume } = carryOut();
        return { volume: volume && { ...volume, contentSource: undefined } };
      }),
    );
    await snapshot(world);
    await world.createClass();
    await world.createClaim("data", fromSnapshot);
    await world.untilEvent("data", "ProvisioningFailed: volume content source missing");
    await world.bound("data");
    expect(world.driver.calls("DeleteVolume")).toHaveLength(1);
  });

  test("a role without update of snapshots is enough", async () => {
    const role = [
      { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["get", "list", "watch", "create", "patch", "delete"] },
      { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["get", "list", "watch", "update"] },
      { apiGroups: ["storage.k8s.io"], resources: ["storageclasses"], verbs: ["get", "list", "watch"] },
      { apiGroups: [snapshotGroup], resources: ["volumesnapshots", "volumesnapshotcontents"], verbs: ["get"] },
    ];
    await using world = await startWorld({ ...options, role, flags: { snapshotOrphanSweepInterval: 50 } });
    await snapshot(world);
    await world.createClass();
    await world.createClaim("data", fromSnapshot);
    await world.bound("data");
  });

  test("the sweep lets go of snapshots that nobody restores any more, and of no other", async () => {
    await using world = await startWorld({ ...options, flags: { snapshotOrphanSweepInterval: 30, retryIntervalStart: 60_000 } });
    world.driver.always("CreateVolume", step.fail("Internal"));
    await snapshot(world);
    await world.createClass();
    await world.createClaim("data", fromSnapshot);
    await world.driver.called("CreateVolume");
    await world.until(VolumeSnapshot, inDefault("backup"), ({ metadata }) => metadata?.finalizers?.includes(sourceFinalizer));
    await world.create(VolumeSnapshot, {
      metadata: { ...inDefault("forgotten"), finalizers: ["example.com/other", sourceFinalizer] },
      spec: {},
    });
    await world.until(VolumeSnapshot, inDefault("forgotten"), ({ metadata }) => metadata?.finalizers?.join() === "example.com/other");
    expect(await finalizersOf(world)).toContain(sourceFinalizer);
    await world.deleteClaim("data");
    await world.until(VolumeSnapshot, inDefault("backup"), ({ metadata }) => !metadata?.finalizers?.includes(sourceFinalizer));
  });
});

describe("cloning a claim", () => {
  const fromClaim = { dataSource: { kind: "PersistentVolumeClaim", name: "source" } };

  test("fills the volume; the source cannot go before that", async () => {
    await using world = await startWorld(options);
    await world.createClass();
    await world.createClaim("source");
    const { volume: original } = await world.bound("source");
    world.driver.script("CreateVolume", step.waitFor("deleted"));
    await world.createClaim("copy", fromClaim);
    await world.driver.called("CreateVolume", 2);
    await world.deleteClaim("source");
    const source = await world.until(PersistentVolumeClaim, inDefault("source"), ({ metadata }) => metadata?.deletionTimestamp);
    expect(source.metadata?.finalizers).toContain(cloneFinalizer);
    world.driver.release("deleted");
    await world.bound("copy");
    expect(world.driver.calls("CreateVolume")[1]?.request.volumeContentSource).toEqual({
      type: { $case: "volume", volume: { volumeId: original.spec?.csi?.volumeHandle ?? "" } },
    });
    await world.untilGone(PersistentVolumeClaim, inDefault("source"));
    expect(await world.refused()).toEqual([]);
  });

  test("goes on when the source is deleted after a call without an answer", async () => {
    await using world = await startWorld({ ...options, flags: { timeout: 100 } });
    await world.createClass();
    await world.createClaim("source");
    await world.bound("source");
    world.driver.always("CreateVolume", step.hang);
    await world.createClaim("copy", fromClaim);
    await world.untilEvent("copy", "DeadlineExceeded");
    await world.deleteClaim("source");
    await world.until(PersistentVolumeClaim, inDefault("source"), ({ metadata }) => metadata?.deletionTimestamp);
    world.driver.always("CreateVolume", step.act);
    await world.bound("copy");
    await world.untilGone(PersistentVolumeClaim, inDefault("source"));
  });

  test("the source goes when its clone is given up", async () => {
    await using world = await startWorld({ ...options, flags: { retryIntervalStart: 60_000, retryIntervalMax: 60_000 } });
    await world.createClass();
    await world.createClaim("source");
    await world.bound("source");
    world.driver.always("CreateVolume", step.fail("Internal"));
    await world.createClaim("copy", fromClaim);
    await world.untilEvent("copy", "Internal");
    await world.deleteClaim("source");
    await world.untilTrue(() =>
      world.log.lines.some(({ error }) => String(error).includes("PVC 'source' is in 'Pending' state, cloning in progress")),
    );
    await world.deleteClaim("copy");
    await world.untilGone(PersistentVolumeClaim, inDefault("source"));
  });
});

describe("a source in another namespace", () => {
  const elsewhere = { dataSourceRef: { apiGroup: snapshotGroup, kind: "VolumeSnapshot", name: "backup", namespace: "prod" } };
  const crossing: WorldOptions = {
    ...options,
    customKinds: ["snapshots", "grants"],
    gatesOn: ["CrossNamespaceVolumeDataSource"],
    role: "shipped",
  };

  const unadmitted = { ...claim("data", { ...elsewhere, volumeMode: "Filesystem" }), status: { phase: "Pending" } };

  // API servers drop the namespace of a dataSourceRef unless their own gate is on, hence a claim that was not admitted.
  test.skipIf(process.env.TESTCLUSTER === "real")("needs a grant", async () => {
    await using world = await startWorld(crossing);
    await world.create(Namespace, { metadata: { name: "prod" } });
    await snapshot(world, { namespace: "prod" });
    await world.createClass();
    world.cluster.embedded?.seed([{ apiVersion: "v1", kind: "PersistentVolumeClaim", ...unadmitted }]);
    await world.untilEvent("data", "accessing prod/backup of VolumeSnapshot dataSource from default/data isn't allowed");
    const from = [{ group: "", kind: "PersistentVolumeClaim", namespace: "default" }];
    await world.create(ReferenceGrant, {
      metadata: { name: "to-default", namespace: "prod" },
      spec: { from, to: [{ group: snapshotGroup, kind: "VolumeSnapshot" }] },
    });
    await world.bound("data");
  });
});
