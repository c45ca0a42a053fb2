import { describe, expect, test } from "bun:test";
import {
  mergePatch,
  PersistentVolumeClaim,
  snapshotAnnotation,
  snapshotFinalizer,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import type { Disturbance } from "@csi-sidecars/testcluster";
import { existingContent, inDefault, preProvisioned } from "./testing/objects.ts";
import { contentNameOf, isProtected, isReady, type SnapshotWorld, startSnapshotWorld } from "./testing/snapshot-world.ts";

const backup = inDefault("backup");

/** Takes a snapshot to its end, whatever goes wrong on the way. */
async function takeDespite(world: SnapshotWorld, ...disturbances: readonly Disturbance[]): Promise<string> {
  await world.addClass();
  await world.addClaim();
  world.controller.disturb(...disturbances);
  const snapshot = await world.addSnapshot();
  await world.untilContent(snapshot);
  await world.answer(contentNameOf(snapshot));
  const { status, metadata } = await world.untilSnapshot(isReady);
  expect([status?.error, metadata?.finalizers?.length]).toEqual([undefined, 2]);
  await world.untilClaim((claim) => !isProtected(claim));
  expect((await world.admin.list(VolumeSnapshotContent)).items).toHaveLength(1);
  return contentNameOf(snapshot);
}

const warnings = async (world: SnapshotWorld) => (await world.events("backup")).filter((event) => event.startsWith("Warning"));

const requests: readonly [string, Omit<Disturbance, "how">][] = [
  ["the finalizers of the snapshot", { resource: VolumeSnapshot }],
  ["the read of the claim", { verb: "get", resource: PersistentVolumeClaim }],
  ["the update of the claim", { verb: "update", resource: PersistentVolumeClaim }],
  ["the creation of the content", { verb: "create", resource: VolumeSnapshotContent }],
  ["the status of the snapshot", { resource: VolumeSnapshot, subresource: "status" }],
];

describe.each(["lost", "failed", "conflict"] as const)("an answer that is %s", (how) => {
  test.each(requests)("to %s does no harm", async (_, disturbance) => {
    await using world = await startSnapshotWorld();
    await takeDespite(world, { ...disturbance, how, times: 2 });
    if (how === "conflict") expect(await warnings(world)).toEqual([]);
  });
});

test("a content whose creation is refused is told of", async () => {
  await using world = await startSnapshotWorld();
  await takeDespite(world, { verb: "create", resource: VolumeSnapshotContent, how: "failed" });
  const told = await warnings(world);
  expect(told).toContain(
    "Warning CreateSnapshotContentFailed: Error creating volume snapshot content object for snapshot default/backup: refused by the test.",
  );
  expect(told).toContain(
    "Warning SnapshotContentCreationFailed: Failed to create snapshot content with error snapshot controller failed to update default/backup on API server: refused by the test",
  );
});

test("finalizers that cannot be written are told of", async () => {
  await using world = await startSnapshotWorld();
  await takeDespite(world, { resource: VolumeSnapshot, how: "failed" });
  await world.untilEvent("backup", "Warning SnapshotFinalizerError: Failed to check and update snapshot: refused by the test");
});

test("a content that exists although its creation was not answered, and is not shown, goes with its snapshot", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.addClaim();
  await world.witness();
  const release = world.controller.holdWatch(VolumeSnapshotContent);
  const remove = () => world.admin.delete(VolumeSnapshot, backup);
  world.controller.disturb({ verb: "create", resource: VolumeSnapshotContent, how: "lost", meanwhile: remove });
  const snapshot = await world.addSnapshot();
  await world.untilTrue(async () => (await world.controller.requests()).includes(`get volumesnapshotcontents ${contentNameOf(snapshot)}`));
  expect((await world.admin.get(VolumeSnapshot, backup)).metadata?.finalizers).toHaveLength(2);
  release();
  await world.letGo(contentNameOf(snapshot));
  await world.untilGone(VolumeSnapshot, backup);
});

describe("a snapshot whose deletion begins right before it gets its finalizers", () => {
  const remove = (world: SnapshotWorld) => () => world.admin.delete(VolumeSnapshot, backup);
  /** The controller does not know of the deletion before the server has refused its patch. */
  const unseen = async (world: SnapshotWorld) => {
    await world.untilTrue(async () => (await world.refused()).some((request) => request.startsWith("422 patch volumesnapshots ")));
    world.controller.releaseWatches();
  };

  test("goes with its content, and users are told nothing", async () => {
    await using world = await startSnapshotWorld();
    await world.addClass({ deletionPolicy: "Retain" });
    await world.addClaim();
    const content = { name: contentNameOf(await world.addSnapshot()) };
    await world.until(VolumeSnapshotContent, content, () => true);
    await world.answer(content.name);
    await world.untilSnapshot(isReady);
    world.controller.disturb({ resource: VolumeSnapshot, how: "unseen", meanwhile: remove(world) });
    await world.admin.patch(VolumeSnapshotContent, content, mergePatch({ spec: { deletionPolicy: "Delete" } }));
    await unseen(world);
    await world.letGo(content.name);
    await world.untilGone(VolumeSnapshot, backup);
    expect(await world.refused()).toHaveLength(1);
    expect(await warnings(world)).toEqual([]);
  });

  test("is not taken", async () => {
    await using world = await startSnapshotWorld();
    await world.addClass({ metadata: { name: "gold", annotations: { [snapshotAnnotation.defaultClass]: "true" } } });
    await world.addClaim();
    world.controller.disturb({ resource: VolumeSnapshot, how: "unseen", meanwhile: remove(world) });
    await world.addSnapshot({ metadata: { finalizers: ["example.com/held"] }, spec: { volumeSnapshotClassName: undefined } });
    await unseen(world);
    await world.witness();
    expect((await world.admin.get(VolumeSnapshot, backup)).spec?.volumeSnapshotClassName).toBeUndefined();
    expect((await world.admin.list(VolumeSnapshotContent)).items).toHaveLength(1);
    expect(await world.refused()).toHaveLength(1);
    expect(await warnings(world)).toEqual([]);
  });

  test("is not patched if the deletion is seen while the patch waits to be sent", async () => {
    await using world = await startSnapshotWorld();
    await world.addClass();
    await world.addClaim();
    const seen = Promise.withResolvers<void>();
    const deletedAndSeen = async () => {
      await remove(world)();
      await world.witness();
      seen.resolve();
    };
    world.controller.disturb({ resource: VolumeSnapshot, how: "sent", meanwhile: deletedAndSeen });
    await world.addSnapshot();
    await seen.promise;
    await world.controller.stop();
    expect((await world.controller.requests()).filter((request) => request.endsWith("backup"))).toEqual([]);
    expect([await world.refused(), await warnings(world)]).toEqual([[], []]);
  });
});

test("a snapshot that takes the place of another one gets nothing of it", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.addClaim();
  const first = await world.addSnapshot();
  await world.untilContent(first);
  let replaced: string | undefined;
  const replace = async () => {
    await world.cluster.removeUnderFinalizers(VolumeSnapshot, backup);
    replaced = contentNameOf(await world.addSnapshot());
  };
  world.controller.disturb({ resource: VolumeSnapshot, subresource: "status", how: "sent", meanwhile: replace });
  await world.answer(contentNameOf(first));
  await world.untilTrue(() => replaced !== undefined);
  const { status } = await world.untilSnapshot((each) => each.status?.boundVolumeSnapshotContentName);
  expect([status?.boundVolumeSnapshotContentName, status?.readyToUse]).toEqual([replaced, false]);
  // The old one's content goes with it.
  await world.letGo(contentNameOf(first));
  await world.untilGone(VolumeSnapshotContent, { name: contentNameOf(first) });
});

test("writes of csi-snapshotter at the same time stay", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.create(VolumeSnapshotContent, existingContent());
  const existing = { name: "existing" };
  const write = (annotation: string) => () =>
    world.admin.patch(
      VolumeSnapshotContent,
      existing,
      mergePatch({ metadata: { annotations: { [annotation]: "yes" }, finalizers: [snapshotFinalizer.content] } }),
    );
  world.controller.disturb({ resource: VolumeSnapshotContent, how: "sent", meanwhile: write("bound") });
  const snapshot = await world.addSnapshot(preProvisioned());
  await world.until(VolumeSnapshotContent, existing, ({ spec }) => spec?.volumeSnapshotRef?.uid === snapshot.metadata?.uid);
  await world.answer("existing");
  await world.untilSnapshot(isReady);
  world.controller.disturb({ resource: VolumeSnapshotContent, how: "sent", meanwhile: write("deleted") });
  await world.admin.delete(VolumeSnapshot, backup);
  const { metadata } = await world.until(VolumeSnapshotContent, existing, (each) => each.metadata?.deletionTimestamp);
  expect(Object.keys(metadata?.annotations ?? {}).sort()).toEqual([
    "bound",
    "deleted",
    "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted",
  ]);
  expect(await warnings(world)).toEqual([]);
  await world.letGo("existing");
  await world.untilGone(VolumeSnapshot, backup);
});

test("a content that exists under the name, of another snapshot, is neither used nor touched", async () => {
  await using world = await startSnapshotWorld();
  await world.addClass();
  await world.addClaim();
  await world.witness();
  const release = world.controller.holdWatch(VolumeSnapshotContent);
  let theirs: string | undefined;
  const take = async () => {
    const uid = (await world.admin.get(VolumeSnapshot, backup)).metadata?.uid ?? "";
    const ref = { ...inDefault("other"), uid: "other" };
    const made = await world.create(
      VolumeSnapshotContent,
      existingContent({ metadata: { name: `snapcontent-${uid}` }, spec: { volumeSnapshotRef: ref, source: { volumeHandle: "v" } } }),
    );
    theirs = made.metadata?.name;
  };
  world.controller.disturb({ verb: "create", resource: VolumeSnapshotContent, how: "sent", meanwhile: take });
  await world.addSnapshot();
  await world.untilTrue(() => theirs !== undefined);
  await world.untilEvent("backup", "Warning SnapshotContentMisbound");
  await world.untilClaim((claim) => !isProtected(claim));
  release();
  await world.admin.delete(VolumeSnapshot, backup);
  await world.untilGone(VolumeSnapshot, backup);
  const { metadata } = await world.admin.get(VolumeSnapshotContent, { name: theirs ?? "" });
  expect([metadata?.deletionTimestamp, metadata?.annotations]).toEqual([undefined, undefined]);
});

test.each<[string, readonly string[]]>([
  ["with our finalizers", [snapshotFinalizer.asSource, snapshotFinalizer.bound]],
  ["with those of others", ["example.com/held"]],
])("a snapshot that is deleted unseen, %s: nothing is written, said or repeated", async (_, finalizers) => {
  await using world = await startSnapshotWorld({ flags: { retryIntervalStart: 600_000, retryIntervalMax: 600_000 } });
  await world.addClass();
  await world.addClaim();
  const before = (await world.controller.requests()).length;
  const held = Promise.withResolvers<ReturnType<typeof world.controller.holdWatch>>();
  const removeUnseen = async () => {
    held.resolve(world.controller.holdWatch(VolumeSnapshot));
    await world.admin.patch(VolumeSnapshot, backup, mergePatch({ metadata: { finalizers } }));
    await world.admin.delete(VolumeSnapshot, backup);
  };
  world.controller.disturb({ resource: VolumeSnapshot, how: "sent", meanwhile: removeUnseen });
  await world.addSnapshot();
  const release = await held.promise;
  const sent = async () => (await world.controller.requests()).slice(before);
  await world.untilTrue(async () => (await sent()).length >= 2);
  // As many requests of somebody else as a loop would have sent by then.
  for (let i = 0; i < 20; i++) await world.admin.list(VolumeSnapshot);
  expect(await sent()).toEqual(["patch volumesnapshots backup", "get volumesnapshots backup"]);
  expect(await warnings(world)).toEqual([]);
  release("expired");
  if (finalizers[0] !== "example.com/held") await world.untilGone(VolumeSnapshot, backup);
  expect((await world.admin.list(VolumeSnapshotContent)).items).toEqual([]);
});
