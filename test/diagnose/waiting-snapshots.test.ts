import { expect, test } from "bun:test";
import { systemClock } from "@csi-sidecars/base";
import { until } from "@csi-sidecars/base/testing";
import { whyCommand } from "@csi-sidecars/diagnose/why";
import {
  CSIDriver,
  Lease,
  mergePatch,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeSnapshot,
  VolumeSnapshotClass,
} from "@csi-sidecars/kube";
import { type Cluster, fastFlags, installDefinitions, snapshotDefinitions, startComponentWorld, step } from "@csi-sidecars/testcluster";
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
}

/** What `csi-sidecars why` says of an object, as soon as it says what is wanted. */
function why(cluster: Cluster, object: string, wanted: (answer: Answer) => boolean): Promise<Answer> {
  const files = { read: () => cluster.kubeconfig(cluster.adminToken) };
  const argv = [...object.split(" "), "-o", "json", "--kubeconfig=/kubeconfig"];
  let last = "";
  return until(
    () => `${object}: ${last}`,
    async () => {
      const { stdout } = await whyCommand(argv, program, { env: {}, clock: systemClock, files }, await responsibleComponents());
      last = stdout;
      const { state, summary, steps } = JSON.parse(stdout);
      const remedy = steps.find(({ what }: { what: string }) => what === summary)?.remedy;
      return wanted({ state, summary, remedy }) && { state, summary, remedy };
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

test("a snapshot from its first step to its last, with the real components", async () => {
  await using world = await startComponentWorld({ driver: { name: driverName, capabilities: "full" } });
  const { cluster, admin, driver } = world;
  const ask = (object: string, summary: string) => why(cluster, object, (answer) => answer.summary.includes(summary));

  expect(await ask("volumesnapshot default/backup", "does not serve")).toMatchObject({
    state: "failed",
    remedy: expect.stringContaining("docs/snapshots.md"),
  });
  await installDefinitions(admin, snapshotDefinitions);
  await admin.create(CSIDriver, { metadata: { name: driverName }, spec: {} });
  driver.addVolume({ id: handleOf("data") });
  const { status, ...claim } = claimOf();
  const { metadata } = await admin.create(PersistentVolumeClaim, claim);
  await admin.create(PersistentVolume, volumeOf({ claimUid: metadata?.uid ?? "" }));
  await admin.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ status }), { subresource: "status" });
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
