import { describe, expect, test } from "bun:test";
import { mergePatch, snapshotFinalizer, VolumeSnapshot, VolumeSnapshotClass, VolumeSnapshotContent } from "@csi-sidecars/kube";
import { existingContent, inDefault, preProvisioned } from "../testing/objects.ts";
import { isReady, readyStatus, startSnapshotWorld } from "../testing/snapshot-world.ts";

const existing = { name: "existing" };

test("a content that the user has made is bound, with class and finalizers, in one write each", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.create(VolumeSnapshotContent, existingContent());
  const snapshot = await world.addSnapshot(preProvisioned());
  const content = await world.until(VolumeSnapshotContent, existing, ({ spec }) => spec?.volumeSnapshotRef?.uid);
  expect(content.spec).toMatchObject({ volumeSnapshotRef: { uid: snapshot.metadata?.uid }, volumeSnapshotClassName: "gold" });
  expect(content.metadata?.finalizers).toEqual([snapshotFinalizer.content]);
  await world.answer("existing");
  const ready = await world.untilSnapshot(isReady);
  expect(ready.status).toMatchObject({ boundVolumeSnapshotContentName: "existing", restoreSize: "1Gi" });
  expect(ready.metadata?.finalizers).toEqual([snapshotFinalizer.asSource, snapshotFinalizer.bound]);
  await world.witness();
  expect((await world.controller.requests()).filter((request) => /backup|existing/.test(request))).toEqual([
    "patch volumesnapshots backup",
    "patch volumesnapshotcontents existing",
    "patch volumesnapshots/status backup",
  ]);
  expect(await world.refused()).toEqual([]);
});

test("a content that its user has bound gets its finalizer", async () => {
  await using world = await startSnapshotWorld();
  const ref = { ...inDefault("backup"), uid: "of-a-snapshot-that-is-restored-later" };
  await world.create(VolumeSnapshotContent, existingContent({ spec: { volumeSnapshotRef: ref } }));
  await world.until(VolumeSnapshotContent, existing, ({ metadata }) => metadata?.finalizers?.includes(snapshotFinalizer.content));
});

test("a content whose snapshot is missing is never deleted", async () => {
  await using world = await startSnapshotWorld();
  const ref = { ...inDefault("backup"), uid: "gone" };
  await world.create(VolumeSnapshotContent, existingContent({ spec: { volumeSnapshotRef: ref } }));
  await world.witness();
  const { metadata } = await world.admin.get(VolumeSnapshotContent, existing);
  expect([metadata?.deletionTimestamp, metadata?.annotations]).toEqual([undefined, undefined]);
});

describe("a content that is not to be bound", () => {
  test.each([
    ["of another snapshot", { volumeSnapshotRef: inDefault("other") }, "SnapshotContentMisbound"],
    ["of an earlier one of this name", { volumeSnapshotRef: { ...inDefault("backup"), uid: "earlier" } }, "SnapshotContentMisbound"],
    ["of a dynamic one", { source: { volumeHandle: "v" } }, "SnapshotContentMismatch"],
  ] as const)("%s stays as it is", async (_, spec, reason) => {
    await using world = await startSnapshotWorld();
    await world.addClass();
    await world.create(VolumeSnapshotContent, existingContent({ spec, metadata: { finalizers: [snapshotFinalizer.content] } }));
    const before = await world.admin.get(VolumeSnapshotContent, existing);
    await world.addSnapshot(preProvisioned());
    await world.untilEvent("backup", `Warning ${reason}`);
    await world.untilEvent("backup", "Warning SnapshotFinalizerError: Failed to check and update snapshot: ");
    expect((await world.untilSnapshot(({ status }) => status?.error)).status?.readyToUse).toBe(false);
    expect(await world.admin.get(VolumeSnapshotContent, existing)).toEqual(before);
  });
});

test("a failure to bind is told of, and is over when it is repeated", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.create(VolumeSnapshotContent, existingContent());
  world.controller.disturb({ resource: VolumeSnapshotContent, how: "failed" });
  await world.addSnapshot(preProvisioned());
  await world.untilEvent("backup", "Warning SnapshotBindFailed: Snapshot failed to bind VolumeSnapshotContent, refused by the test");
  await world.answer("existing", readyStatus);
  expect((await world.untilSnapshot(isReady)).status?.error).toBeUndefined();
});

test("a ready snapshot that loses its content is not ready any more, and is not taken again", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.addClaim();
  const snapshot = await world.addSnapshot();
  const name = `snapcontent-${snapshot.metadata?.uid}`;
  await world.untilContent(snapshot);
  await world.answer(name);
  const { status } = await world.untilSnapshot(isReady);
  await world.admin.delete(VolumeSnapshotContent, { name });
  await world.letGo(name);
  await world.untilEvent("backup", "Warning SnapshotContentMissing: VolumeSnapshotContent is missing");
  const lost = await world.untilSnapshot((each) => !isReady(each));
  expect(lost.status).toMatchObject({ creationTime: status?.creationTime, error: { message: "VolumeSnapshotContent is missing" } });
  await world.witness();
  expect((await world.admin.list(VolumeSnapshotContent)).items.map(({ metadata }) => metadata?.name)).not.toContain(name);
});

test("a ready snapshot whose class disappears stays without error", async () => {
  await using world = await startSnapshotWorld();
  await world.create(VolumeSnapshotContent, existingContent());
  await world.addClass();
  await world.addSnapshot(preProvisioned());
  await world.until(VolumeSnapshotContent, existing, ({ spec }) => spec?.volumeSnapshotRef?.uid);
  await world.answer("existing");
  await world.untilSnapshot(isReady);
  await world.admin.delete(VolumeSnapshotClass, { name: "gold" });
  await world.controller.stop();
  await world.controller.run();
  await world.witness();
  const { status } = await world.admin.get(VolumeSnapshot, inDefault("backup"));
  expect([status?.readyToUse, status?.error]).toEqual([true, undefined]);
});

test("a content that its user gives to another snapshot in this moment is not bound to this one", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.create(VolumeSnapshotContent, existingContent());
  const give = () => world.admin.patch(VolumeSnapshotContent, existing, mergePatch({ spec: { volumeSnapshotRef: { name: "other" } } }));
  world.controller.disturb({ resource: VolumeSnapshotContent, how: "sent", meanwhile: give });
  await world.addSnapshot(preProvisioned());
  await world.untilEvent("backup", "Warning SnapshotContentMisbound");
  const { spec } = await world.admin.get(VolumeSnapshotContent, existing);
  expect([spec?.volumeSnapshotRef?.name, spec?.volumeSnapshotRef?.uid]).toEqual(["other", undefined]);
});

test("a content that is bound to an earlier snapshot of the name in this moment stays as it is", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.create(VolumeSnapshotContent, existingContent());
  const bind = () => world.admin.patch(VolumeSnapshotContent, existing, mergePatch({ spec: { volumeSnapshotRef: { uid: "earlier" } } }));
  world.controller.disturb({ resource: VolumeSnapshotContent, how: "sent", meanwhile: bind });
  await world.addSnapshot(preProvisioned());
  await world.untilEvent("backup", "Warning SnapshotContentMisbound");
  const { spec } = await world.admin.get(VolumeSnapshotContent, existing);
  expect([spec?.volumeSnapshotRef?.uid, spec?.volumeSnapshotClassName]).toEqual(["earlier", undefined]);
});
