import { describe, expect, test } from "bun:test";
import { mergePatch, PersistentVolumeClaim, VolumeSnapshot } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { finalizer } from "../names.ts";
import { claim, inDefault } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld, type WorldOptions } from "../testing/provisioner-world.ts";
import { upstreamRole } from "../testing/upstream-role.ts";
import { finalizersOf, fromSnapshot, options, removeFinalizers, snapshot, snapshotGroup } from "./testing/snapshots.ts";

describe("restoring a snapshot", () => {
  test("fills the volume, and keeps the snapshot as long as that takes", async () => {
    await using world = await startWorld(options);
    world.driver.script("CreateVolume", step.waitFor("looked"));
    await snapshot(world);
    await world.createClass();
    await world.createClaim("data", fromSnapshot);
    await world.driver.called("CreateVolume");
    expect(await finalizersOf(world)).toEqual(["example.com/other", finalizer.snapshotSource]);
    world.driver.release("looked");
    await world.bound("data");
    await world.until(VolumeSnapshot, inDefault("backup"), ({ metadata }) => !metadata?.finalizers?.includes(finalizer.snapshotSource));
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
    expect(await finalizersOf(world)).toContain(finalizer.snapshotSource);
    world.driver.release("looked");
    await world.bound("second");
    await world.until(VolumeSnapshot, inDefault("backup"), ({ metadata }) => !metadata?.finalizers?.includes(finalizer.snapshotSource));
  });

  test("that another restore is about to let go: the finalizer is added again before the driver is called", async () => {
    await using world = await startWorld(options);
    world.driver.script("CreateVolume", step.waitFor("the release is held"), step.waitFor("looked"));
    await snapshot(world);
    await world.createClass();
    await world.createClaim("first", fromSnapshot);
    await world.driver.called("CreateVolume");
    const isRead = Promise.withResolvers<void>();
    world.disturb({ verb: "update", resource: VolumeSnapshot, how: isRead.promise });
    world.driver.release("the release is held");
    const reads = async () => (await world.requests()).filter((request) => request === "get volumesnapshots").length;
    await world.untilTrue(async () => (await reads()) === 2);
    await world.createClaim("second", fromSnapshot);
    await world.untilTrue(async () => (await reads()) === 3);
    isRead.resolve();
    await world.driver.called("CreateVolume", 2);
    await world.bound("first");
    expect(await finalizersOf(world)).toContain(finalizer.snapshotSource);
    world.driver.release("looked");
    await world.bound("second");
    await world.until(VolumeSnapshot, inDefault("backup"), ({ metadata }) => !metadata?.finalizers?.includes(finalizer.snapshotSource));
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
    await world.until(VolumeSnapshot, inDefault("backup"), ({ metadata }) => metadata?.finalizers?.includes(finalizer.snapshotSource));
    await world.create(VolumeSnapshot, {
      metadata: { ...inDefault("forgotten"), finalizers: ["example.com/other", finalizer.snapshotSource] },
      spec: {},
    });
    await world.until(VolumeSnapshot, inDefault("forgotten"), ({ metadata }) => metadata?.finalizers?.join() === "example.com/other");
    expect(await finalizersOf(world)).toContain(finalizer.snapshotSource);
    await world.deleteClaim("data");
    await world.until(VolumeSnapshot, inDefault("backup"), ({ metadata }) => !metadata?.finalizers?.includes(finalizer.snapshotSource));
  });
});

describe("snapshots that nobody restores any more", () => {
  const forgotten = (world: ProvisionerWorld, name: string) =>
    world.create(VolumeSnapshot, { metadata: { ...inDefault(name), finalizers: [finalizer.snapshotSource] }, spec: {} });
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
      return items.filter(({ metadata }) => metadata?.finalizers?.includes(finalizer.snapshotSource)).map(({ metadata }) => metadata?.name);
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
    expect(await finalizersOf(world)).toContain(finalizer.snapshotSource);
    world.driver.always("CreateVolume", step.act);
    await world.until(VolumeSnapshot, inDefault("backup"), ({ metadata }) => !metadata?.finalizers?.includes(finalizer.snapshotSource));
    await world.driver.called("DeleteVolume", 1, 25_000);
  }, 40_000);

  test.each<[string, Partial<WorldOptions>]>([
    ["the driver makes no snapshots", { driver: { capabilities: "minimal" } }],
    ["it is disabled", { flags: { snapshotOrphanSweepInterval: 0 } }],
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
    expect(await world.refused()).toEqual(["403 list volumesnapshots"]);
  });

  test("are left alone by those who may list them, but not watch them", async () => {
    const other = upstreamRole.filter(({ apiGroups }) => !apiGroups.includes(snapshotGroup));
    const reading = { apiGroups: [snapshotGroup], resources: ["volumesnapshots", "volumesnapshotcontents"], verbs: ["get", "list"] };
    await using world = await startWorld({ ...options, role: [...other, reading], flags: { snapshotOrphanSweepInterval: 30 } });
    await world.createClass();
    await world.createClaim("data");
    await world.bound("data");
    await world.untilTrue(() => world.log.lines.some(({ message }) => message.startsWith("Snapshots may not be listed and watched")));
    expect(await world.refused()).toEqual(["403 watch volumesnapshots"]);
  });
});
