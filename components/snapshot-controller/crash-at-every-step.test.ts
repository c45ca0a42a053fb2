import { expect, test } from "bun:test";
import {
  ignoreNotFound,
  mergePatch,
  snapshotFinalizer,
  type V1VolumeSnapshot,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { type CrashPoint, crashAtEveryStep, withRestart } from "@csi-sidecars/testcluster";
import { driverName, existingContent, inDefault, preProvisioned } from "./testing/objects.ts";
import { contentNameOf, isProtected, isReady, readyStatus, type SnapshotWorld, startSnapshotWorld } from "./testing/snapshot-world.ts";

/** What users and csi-snapshotter do, and what they wait for. It must end in the same way whenever the process crashes and is started again. */
type Scenario = (world: SnapshotWorld) => Promise<void>;

/** Each of the many runs is slow on a real server, which all tests share: there only some of them are made. */
const runs = process.env.TESTCLUSTER === "real" ? { stride: 3 } : { atOnce: 6 };
const backup = inDefault("backup");

async function take(world: SnapshotWorld, parts = {}): Promise<V1VolumeSnapshot> {
  const snapshot = await world.addSnapshot(parts);
  await world.untilContent(snapshot);
  await world.answer(contentNameOf(snapshot));
  return world.untilSnapshot(isReady, snapshot.metadata?.name);
}

async function untilNothingIsLeft(world: SnapshotWorld): Promise<void> {
  await world.untilGone(VolumeSnapshot, backup);
  await world.untilClaim((claim) => !isProtected(claim));
  expect((await world.admin.list(VolumeSnapshotContent)).items).toEqual([]);
}

const scenarios: Readonly<Record<string, Scenario>> = {
  async "a snapshot is taken"(world) {
    const { status, metadata } = await take(world);
    expect(status).toMatchObject({ restoreSize: "1Gi", creationTime: "2020-09-13T12:26:40Z" });
    expect(status?.error).toBeUndefined();
    expect(metadata?.finalizers).toHaveLength(2);
    await world.untilClaim((claim) => !isProtected(claim));
    expect((await world.admin.list(VolumeSnapshotContent)).items).toHaveLength(1);
  },
  async "a snapshot is taken slowly, with the default class"(world) {
    const snapshot = await world.addSnapshot({ spec: { volumeSnapshotClassName: undefined as never } });
    await world.untilSnapshot(({ status }) => status?.boundVolumeSnapshotContentName);
    expect(isProtected(await world.untilClaim(() => true))).toBe(true);
    await world.answer(contentNameOf(snapshot));
    expect((await world.untilSnapshot(isReady)).spec?.volumeSnapshotClassName).toBe("gold");
    await world.untilClaim((claim) => !isProtected(claim));
  },
  async "a snapshot is taken and deleted"(world) {
    const snapshot = await take(world);
    await world.admin.delete(VolumeSnapshot, backup);
    await world.letGo(contentNameOf(snapshot));
    await untilNothingIsLeft(world);
  },
  async "a snapshot is deleted before its content is answered"(world) {
    const snapshot = await world.addSnapshot();
    await world.untilSnapshot(({ metadata }) => metadata?.finalizers?.length);
    await world.admin.delete(VolumeSnapshot, backup);
    const name = contentNameOf(snapshot);
    const csiSnapshotter = async () => {
      const content = await ignoreNotFound(world.admin.get(VolumeSnapshotContent, { name }));
      if (!content?.metadata?.deletionTimestamp) return;
      await ignoreNotFound(world.admin.patch(VolumeSnapshotContent, { name }, mergePatch({ metadata: { finalizers: null } })));
    };
    await world.untilTrue(async () => {
      await csiSnapshotter();
      return (await ignoreNotFound(world.admin.get(VolumeSnapshot, backup))) === undefined;
    });
    await untilNothingIsLeft(world);
  },
  async "a content is created when its snapshot has gone"(world) {
    // Without its class it waits.
    const snapshot = await world.addSnapshot({ spec: { volumeSnapshotClassName: "missing" } });
    await world.admin.patch(VolumeSnapshot, backup, mergePatch({ metadata: { finalizers: [snapshotFinalizer.asSource] } }));
    await world.admin.delete(VolumeSnapshot, backup);
    await world.untilGone(VolumeSnapshot, backup);
    const name = contentNameOf(snapshot);
    const reference = { ...backup, uid: snapshot.metadata?.uid ?? "" };
    const spec = { deletionPolicy: "Delete" as const, driver: driverName, source: { volumeHandle: "h" }, volumeSnapshotRef: reference };
    await world.create(VolumeSnapshotContent, { metadata: { name, finalizers: [snapshotFinalizer.content] }, spec });
    await world.letGo(name);
    await untilNothingIsLeft(world);
  },
  async "a snapshot that exists is bound, and retained"(world) {
    await world.create(VolumeSnapshotContent, existingContent({ spec: { deletionPolicy: "Retain" } }));
    const snapshot = await world.addSnapshot(preProvisioned());
    const content = await world.until(VolumeSnapshotContent, { name: "existing" }, ({ spec }) => spec?.volumeSnapshotRef?.uid);
    expect(content.spec?.volumeSnapshotRef?.uid).toBe(snapshot.metadata?.uid ?? "");
    expect(content.metadata?.finalizers).toHaveLength(1);
    await world.answer("existing", readyStatus);
    await world.untilSnapshot(isReady);
    await world.admin.delete(VolumeSnapshot, backup);
    await world.untilGone(VolumeSnapshot, backup);
    const { metadata } = await world.admin.get(VolumeSnapshotContent, { name: "existing" });
    expect(metadata?.annotations).toEqual({ "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted": "yes" });
    expect(metadata?.deletionTimestamp).toBeUndefined();
  },
};

for (const [name, scenario] of Object.entries(scenarios)) {
  test(`a crash at any step: ${name}`, () => crashAtEveryStep((point) => runScenario(scenario, point), runs), 120_000);
}

async function runScenario(scenario: Scenario, crashPoint: CrashPoint): Promise<void> {
  await using world = await startSnapshotWorld({ crashPoint, stopped: true });
  await world.addClass({ metadata: { annotations: { "snapshot.storage.kubernetes.io/is-default-class": "true" } } });
  await world.addClaim();
  await withRestart(world.controller, () => scenario(world));
}
