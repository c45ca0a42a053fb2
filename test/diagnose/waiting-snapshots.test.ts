import { expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { until } from "@csi-sidecars/base/testing";
import { snapshotDefinitions } from "@csi-sidecars/crds";
import { whyCommand } from "@csi-sidecars/diagnose/why";
import {
  CSIDriver,
  Lease,
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotClass,
  VolumeSnapshot,
  VolumeSnapshotClass,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import {
  type Cluster,
  type ComponentWorld,
  fastFlags,
  grantRole,
  installDefinitions,
  startComponentWorld,
  step,
  type TestUser,
} from "@csi-sidecars/testcluster";
import { chooseProgram } from "../../cmd/csi-sidecars/choose-program.ts";
import { responsibleComponents } from "../../cmd/csi-sidecars/commands.ts";
import { snapshotController } from "../../components/snapshot-controller/component.ts";
import {
  claimOf,
  classOf,
  driverName,
  handleOf,
  inDefault,
  snapshotOf,
  volumeOf,
} from "../../components/snapshot-controller/testing/objects.ts";
import { snapshotter } from "../../components/snapshotter/component.ts";

const { program } = chooseProgram("csi-sidecars", []);

interface Answer {
  readonly state: string;
  readonly summary: string;
  readonly remedy: string | undefined;
  readonly unreadable: readonly string[];
}

/** What `csi-sidecars why` says of an object, as soon as it says what is wanted. */
function why(cluster: Cluster, object: string, wanted: (answer: Answer) => boolean, user?: TestUser): Promise<Answer> {
  const files = { read: () => cluster.kubeconfig(user?.token ?? cluster.adminToken) };
  const argv = [...object.split(" "), "-o", "json", "--kubeconfig=/kubeconfig"];
  let last = "";
  return until(
    () => `${object}: ${last}`,
    async () => {
      const { stdout } = await whyCommand(argv, program, { env: {}, clock: systemClock, files }, await responsibleComponents());
      last = stdout;
      const { state, summary, steps, unreadable } = JSON.parse(stdout);
      const remedy = steps.find(({ what }: { what: string }) => what === summary)?.remedy;
      const answer = { state, summary, remedy, unreadable };
      return wanted(answer) && answer;
    },
  );
}

/** What a running leader leaves behind. */
async function addLease({ admin }: Cluster, name: string): Promise<void> {
  const renewTime = new Date(systemClock.now()).toISOString().replace("Z", "000Z");
  await admin.create(Lease, {
    metadata: { namespace: "kube-system", name },
    spec: { holderIdentity: "pod-1", leaseDurationSeconds: 3600, acquireTime: renewTime, renewTime },
  });
}

/** Creates claim `default/data` with its volume, bound. */
async function addBoundClaim({ admin, driver }: ComponentWorld, labels: Record<string, string> = {}): Promise<void> {
  await admin.create(CSIDriver, { metadata: { name: driverName }, spec: {} });
  driver.addVolume({ id: handleOf("data") });
  const { status, ...claim } = claimOf({ metadata: { labels } });
  const { metadata } = await admin.create(PersistentVolumeClaim, claim);
  await admin.create(PersistentVolume, volumeOf({ claimUid: metadata?.uid ?? "" }));
  await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ status }), { subresource: "status" });
}

test("a snapshot from its first step to its last, with the real components", async () => {
  await using world = await startComponentWorld({ driver: { name: driverName, capabilities: "full" } });
  const { cluster, admin, driver } = world;
  const ask = (object: string, summary: string) => why(cluster, object, (answer) => answer.summary.includes(summary));

  expect(await ask("volumesnapshot default/backup", "does not serve")).toMatchObject({
    state: "failed",
    remedy: expect.stringContaining("docs/snapshots.md"),
  });
  await installDefinitions(admin, snapshotDefinitions);
  await addBoundClaim(world);
  await admin.create(VolumeSnapshot, snapshotOf());

  expect(await ask("vs backup", "names class gold, which does not exist")).toMatchObject({ state: "failed" });
  await admin.create(VolumeSnapshotClass, classOf());
  expect(await ask("vs backup", "no lease of the snapshot-controller was found")).toMatchObject({ state: "waiting" });

  await addLease(cluster, "snapshot-controller-leader");
  await world.add(snapshotController, { flags: fastFlags });
  expect(await ask("vs backup", `no lease of the snapshotter of driver ${driverName} was found`)).toMatchObject({ state: "waiting" });

  await addLease(cluster, "external-snapshotter-leader-csi-example-com");
  driver.always("CreateSnapshot", step.fail("ResourceExhausted", "pool is full"));
  await world.add(snapshotter, { flags: fastFlags });
  const full = "the storage has no room for another snapshot, or a limit is reached (ResourceExhausted)";
  expect(await ask("vs backup", full)).toMatchObject({ state: "failed", remedy: expect.stringContaining("delete old snapshots") });

  await admin.create(StorageClass, { metadata: { name: "fast" }, provisioner: driverName });
  await admin.create(PersistentVolumeClaim, {
    metadata: { namespace: "default", name: "restored" },
    spec: {
      ...{ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "fast" },
      dataSource: { apiGroup: VolumeSnapshot.group, kind: VolumeSnapshot.kind, name: "backup" },
    },
  });
  expect(await ask("pvc restored", "VolumeSnapshot default/backup is not ready to use: ")).toMatchObject({
    state: "failed",
    summary: expect.stringContaining(full),
    remedy: expect.stringContaining("delete old snapshots"),
  });

  driver.always(
    "CreateSnapshot",
    step.reply((_request, carryOut) => {
      const { snapshot } = carryOut();
      return { snapshot: snapshot && { ...snapshot, readyToUse: false } };
    }),
  );
  expect(await ask("vs backup", "it is not ready to use yet")).toMatchObject({ state: "waiting" });
  await admin.delete(PersistentVolumeClaim, inDefault("data"));
  expect(await ask("pvc data", "snapshots of it are being taken: default/backup")).toMatchObject({
    remedy: expect.stringContaining("why volumesnapshot default/backup"),
  });
  driver.always("CreateSnapshot", step.act);
  expect(await ask("vs backup", "nothing is waiting")).toMatchObject({ state: "done" });

  await admin.delete(VolumeSnapshot, inDefault("backup"));
  expect(await ask("vs backup", "it is being restored: claim default/restored")).toMatchObject({ state: "waiting" });
  driver.always("DeleteSnapshot", step.fail("Internal", "no"));
  await admin.patch(PersistentVolumeClaim, inDefault("restored"), mergePatch({ metadata: { finalizers: null } }));
  await admin.delete(PersistentVolumeClaim, inDefault("restored"));
  expect(await ask("vs backup", "the snapshot could not be deleted")).toMatchObject({
    state: "failed",
    remedy: expect.stringContaining("see the logs"),
  });
  driver.always("DeleteSnapshot", step.act);
  await ask("vs backup", "does not exist");
});

test("a group snapshot, its members and its content, with the real components", async () => {
  await using world = await startComponentWorld({
    definitions: snapshotDefinitions,
    driver: { name: driverName, capabilities: "full" },
  });
  const { cluster, admin, driver } = world;
  const ask = (object: string, summary: string) => why(cluster, object, (answer) => answer.summary.includes(summary));
  await addBoundClaim(world, { app: "web" });
  await admin.create(VolumeGroupSnapshotClass, classOf());
  const selecting = (app: string, name: string) =>
    admin.create(VolumeGroupSnapshot, {
      metadata: { namespace: "default", name },
      spec: { source: { selector: { matchLabels: { app } } }, volumeGroupSnapshotClassName: "gold" },
    });
  await addLease(cluster, "snapshot-controller-leader");
  await addLease(cluster, "external-snapshotter-leader-csi-example-com");
  driver.always("CreateVolumeGroupSnapshot", step.fail("FailedPrecondition", "two pools"));
  await world.add(snapshotController, { flags: fastFlags });
  await world.add(snapshotter, { flags: fastFlags });
  await selecting("db", "empty");
  expect(await ask("vgs empty", "no claim of the namespace has the labels app=db")).toMatchObject({ state: "failed" });
  await selecting("web", "group");
  expect(await ask("volumegroupsnapshot group", "the driver cannot take snapshots of these volumes together")).toMatchObject({
    state: "failed",
    remedy: expect.stringContaining("select claims"),
  });

  driver.always("CreateVolumeGroupSnapshot", step.act);
  await ask("vgs group", "nothing is waiting");
  const { status } = await admin.get(VolumeGroupSnapshot, inDefault("group"));
  await ask(`vgsc ${status?.boundVolumeGroupSnapshotContentName}`, "nothing is waiting");
  const [member] = (await admin.list(VolumeSnapshot)).items;
  const name = member?.metadata?.name ?? "";
  await ask(`vs ${name}`, "nothing is waiting");
  const [content] = (await admin.list(VolumeSnapshotContent)).items;
  await admin.delete(VolumeSnapshotContent, { name: content?.metadata?.name ?? "" });
  expect(await ask(`vsc ${content?.metadata?.name}`, `is kept as long as snapshot default/${name} exists`)).toMatchObject({
    state: "failed",
  });
  await admin.delete(VolumeSnapshot, inDefault(name));
  expect(await ask(`vs ${name}`, "belongs to group snapshot default/group")).toMatchObject({
    state: "failed",
    remedy: expect.stringContaining("delete volumegroupsnapshot group"),
  });

  driver.always("DeleteVolumeGroupSnapshot", step.fail("Internal", "no"));
  await admin.delete(VolumeGroupSnapshot, inDefault("group"));
  expect(await ask("vgs group", "the group snapshot could not be deleted")).toMatchObject({ state: "failed" });
  await ask(`vs ${name}`, "goes with its group snapshot default/group, which is being deleted");
  driver.always("DeleteVolumeGroupSnapshot", step.act);
  await ask("vgs group", "does not exist");
  await ask(`vs ${name}`, "does not exist");
});

test("whoever may read snapshots alone learns what their status says, and which permission is missing", async () => {
  await using world = await startComponentWorld({ definitions: snapshotDefinitions });
  const { cluster, admin } = world;
  const user = cluster.newUser();
  await grantRole(admin, user.name, [{ apiGroups: ["snapshot.storage.k8s.io"], resources: ["volumesnapshots"], verbs: ["get"] }]);
  await admin.create(VolumeSnapshot, snapshotOf());
  const error = { message: 'failed to take snapshot: "rpc error: code = ResourceExhausted desc = full"', time: "2026-01-01T00:00:00Z" };
  const status = { boundVolumeSnapshotContentName: "c", readyToUse: false, error };
  await admin.patch(VolumeSnapshot, inDefault("backup"), mergePatch({ status }), { subresource: "status" });
  const answer = await why(cluster, "vs backup", ({ state }) => state === "failed", user);
  expect(answer).toMatchObject({
    summary: "the snapshot cannot be taken: the storage has no room for another snapshot, or a limit is reached (ResourceExhausted)",
    unreadable: expect.arrayContaining([
      "could not read VolumeSnapshotContent c: needs get on volumesnapshotcontents.snapshot.storage.k8s.io",
      "could not read leases: needs list on leases.coordination.k8s.io",
    ]),
  });
});
