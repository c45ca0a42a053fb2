import { describe, expect, test } from "bun:test";
import {
  type KubeObject,
  mergePatch,
  Namespace,
  PersistentVolumeClaim,
  ReferenceGrant,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { presets, step } from "@csi-sidecars/testcluster";
import { claim, driverName, inDefault } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld, type WorldOptions } from "../testing/provisioner-world.ts";
import { upstreamRole } from "../testing/upstream-role.ts";

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

async function removeFinalizers(world: ProvisionerWorld): Promise<void> {
  for (const { metadata } of (await world.admin.list(PersistentVolumeClaim)).items) {
    const ref = { name: metadata?.name ?? "", namespace: metadata?.namespace };
    await world.admin.patch(PersistentVolumeClaim, ref, mergePatch({ metadata: { finalizers: null } }));
  }
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

  test("of which several are made: only the last lets the snapshot go", async () => {
    await using world = await startWorld(options);
    world.driver.script("CreateVolume", step.act, step.waitFor("looked"));
    await snapshot(world);
    await world.createClass();
    await world.createClaim("first", fromSnapshot);
    await world.driver.called("CreateVolume");
    await world.createClaim("second", fromSnapshot);
    await world.driver.called("CreateVolume", 2);
    await world.bound("first");
    expect(await finalizersOf(world)).toContain(sourceFinalizer);
    world.driver.release("looked");
    await world.bound("second");
    await world.until(VolumeSnapshot, inDefault("backup"), ({ metadata }) => !metadata?.finalizers?.includes(sourceFinalizer));
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

describe("snapshots that nobody restores any more", () => {
  const forgotten = (world: ProvisionerWorld, name: string) =>
    world.create(VolumeSnapshot, { metadata: { ...inDefault(name), finalizers: [sourceFinalizer] }, spec: {} });
  const group = { apiGroup: snapshotGroup, kind: "VolumeSnapshot" };

  test("are let go; whose claims wait, whichever way they name them, are not", async () => {
    await using world = await startWorld({ ...options, controllers: false, stopped: true, flags: { snapshotOrphanSweepInterval: 30 } });
    const names = ["bound", "waiting", "both", "by-reference", "nobodys"];
    for (const name of names) await forgotten(world, name);
    const from = (name: string) => ({ dataSource: { ...group, name } });
    const restored = async (name: string, source: object, phase: string) => {
      await world.create(PersistentVolumeClaim, claim(name, { ...source }));
      await world.admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status: { phase } }), { subresource: "status" });
    };
    await restored("a", from("bound"), "Bound");
    await restored("b", from("waiting"), "Pending");
    await restored("c", from("both"), "Bound");
    await restored("d", from("both"), "Pending");
    await restored("e", { dataSourceRef: { ...group, name: "by-reference" } }, "Pending");
    await world.run();
    const kept = async () => {
      const { items } = await world.admin.list(VolumeSnapshot);
      return items.filter(({ metadata }) => metadata?.finalizers?.includes(sourceFinalizer)).map(({ metadata }) => metadata?.name);
    };
    await world.untilTrue(async () => (await kept()).length === 3);
    expect((await kept()).toSorted()).toEqual(["both", "by-reference", "waiting"]);
    await world.stop();
    await removeFinalizers(world);
  });

  test("stay while a call may be reading them, although the claim is gone", async () => {
    await using world = await startWorld({ ...options, flags: { snapshotOrphanSweepInterval: 30, timeout: 100 } });
    world.driver.always("CreateVolume", step.hangAfter);
    await snapshot(world);
    await world.createClass();
    await world.createClaim("data", fromSnapshot);
    await world.untilEvent("data", "DeadlineExceeded");
    await world.deleteClaim("data");
    await world.untilGone(PersistentVolumeClaim, inDefault("data"));
    await forgotten(world, "witness");
    await world.until(VolumeSnapshot, inDefault("witness"), ({ metadata }) => !metadata?.finalizers?.length);
    expect(await finalizersOf(world)).toContain(sourceFinalizer);
    world.driver.always("CreateVolume", step.act);
    await world.until(VolumeSnapshot, inDefault("backup"), ({ metadata }) => !metadata?.finalizers?.includes(sourceFinalizer));
    await world.driver.called("DeleteVolume", 1, 25_000);
  }, 40_000);

  test.each<[string, Partial<WorldOptions>]>([
    ["the driver makes no snapshots", { driver: { capabilities: "minimal" } }],
    ["it is switched off", { flags: { snapshotOrphanSweepInterval: 0 } }],
  ])("are not looked for where %s", async (_, how) => {
    const role = upstreamRole.filter(({ apiGroups }) => !apiGroups.includes(snapshotGroup));
    await using world = await startWorld({ ...options, role, flags: { snapshotOrphanSweepInterval: 30 }, ...how });
    await world.createClass();
    await world.createClaim("data");
    await world.bound("data");
    expect(await world.refused()).toEqual([]);
  });

  test("are left alone by those who may not look for them", async () => {
    const role = upstreamRole.filter(({ apiGroups }) => !apiGroups.includes(snapshotGroup));
    await using world = await startWorld({ ...options, role, flags: { snapshotOrphanSweepInterval: 30 } });
    await world.createClass();
    await world.createClaim("data");
    await world.bound("data");
    await world.untilTrue(() => world.log.lines.some(({ message }) => message.startsWith("Snapshots may not be listed")));
    expect(await world.refused()).toEqual(["403 list volumesnapshots "]);
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

  test("the source stays while the driver reads it, although the clone's claim is gone, and goes at once after that", async () => {
    await using world = await startWorld({ ...options, flags: { retryIntervalStart: 60_000, retryIntervalMax: 60_000 } });
    await world.createClass();
    await world.createClaim("source");
    await world.bound("source");
    world.driver.script("CreateVolume", step.waitFor("looked"));
    await world.createClaim("copy", fromClaim);
    await world.driver.called("CreateVolume", 2);
    await world.deleteClaim("copy");
    await world.untilGone(PersistentVolumeClaim, inDefault("copy"));
    await world.deleteClaim("source");
    const told = "PVC 'source' is in 'Pending' state, cloning in progress";
    await world.untilTrue(() => world.log.lines.some(({ error }) => String(error).includes(told)));
    const { metadata } = await world.admin.get(PersistentVolumeClaim, inDefault("source"));
    expect(metadata?.finalizers).toContain(cloneFinalizer);
    world.driver.release("looked");
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

describe("a claim that was cloned and is being deleted", () => {
  const held = (name: string) => claim(name, {}, { finalizers: [cloneFinalizer] });
  const copyOf = (name: string) => ({ dataSource: { kind: "PersistentVolumeClaim", name } });

  test("goes with its last clone; only those of its own namespace count, and only those that wait", async () => {
    const flags = { retryIntervalStart: 60_000, retryIntervalMax: 60_000 };
    await using world = await startWorld({ ...options, flags, controllers: false });
    await world.create(Namespace, { metadata: { name: "clones-elsewhere" } });
    for (const name of ["one-of-two", "elsewhere", "none"]) await world.create(PersistentVolumeClaim, held(name));
    const copy = async (name: string, source: string, phase: string) => {
      await world.create(PersistentVolumeClaim, claim(name, copyOf(source)));
      await world.admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status: { phase } }), { subresource: "status" });
    };
    await copy("first", "one-of-two", "Bound");
    await copy("second", "one-of-two", "Pending");
    const { metadata, ...rest } = claim("copy", copyOf("elsewhere"));
    await world.create(PersistentVolumeClaim, { ...rest, metadata: { ...metadata, namespace: "clones-elsewhere" } });
    const isFree = (name: string) =>
      world.until(PersistentVolumeClaim, inDefault(name), (found) => !found.metadata?.finalizers?.includes(cloneFinalizer));
    for (const name of ["one-of-two", "elsewhere", "none"]) {
      const keep = mergePatch({ metadata: { finalizers: [cloneFinalizer, "example.com/other"] } });
      await world.admin.patch(PersistentVolumeClaim, inDefault(name), keep);
      await world.deleteClaim(name);
    }
    await isFree("elsewhere");
    await isFree("none");
    const waiting = await world.admin.get(PersistentVolumeClaim, inDefault("one-of-two"));
    expect(waiting.metadata?.finalizers).toEqual([cloneFinalizer, "example.com/other"]);
    await world.admin.patch(PersistentVolumeClaim, inDefault("second"), mergePatch({ status: { phase: "Bound" } }), {
      subresource: "status",
    });
    expect((await isFree("one-of-two")).metadata?.finalizers).toEqual(["example.com/other"]);
    for (const name of ["one-of-two", "elsewhere", "none"]) {
      await world.admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ metadata: { finalizers: null } }));
    }
  });

  test("is not written while it is not being deleted", async () => {
    await using world = await startWorld({ ...options, controllers: false });
    await world.create(PersistentVolumeClaim, held("kept"));
    await world.create(PersistentVolumeClaim, held("witness"));
    await world.deleteClaim("witness");
    await world.until(PersistentVolumeClaim, inDefault("witness"), (found) => !found.metadata?.finalizers?.includes(cloneFinalizer));
    const { metadata } = await world.admin.get(PersistentVolumeClaim, inDefault("kept"));
    expect(metadata?.finalizers).toContain(cloneFinalizer);
    await world.admin.patch(PersistentVolumeClaim, inDefault("kept"), mergePatch({ metadata: { finalizers: null } }));
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
