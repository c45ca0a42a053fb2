import { describe, expect, test } from "bun:test";
import {
  groupSnapshotFinalizer,
  mergePatch,
  snapshotFinalizer,
  type V1VolumeSnapshotContent,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { startGroupWorld } from "./testing/group-world.ts";
import { driverName, inDefault } from "./testing/objects.ts";
import { contentNameOf, isReady, type SnapshotWorld, startSnapshotWorld } from "./testing/snapshot-world.ts";

const lostUid = "11111111-2222-3333-4444-555555555555";
const backup = inDefault("backup");

/** The content that the controller creates for a snapshot, as somebody has stored it: without a status. */
function contentOf(uid: string, deletionPolicy: "Delete" | "Retain" = "Delete"): V1VolumeSnapshotContent {
  return {
    metadata: { name: `snapcontent-${uid}`, finalizers: [snapshotFinalizer.content] },
    spec: { deletionPolicy, driver: driverName, source: { volumeHandle: "h" }, volumeSnapshotRef: { ...backup, uid } },
  };
}

const read = (world: SnapshotWorld, uid = lostUid) => world.admin.get(VolumeSnapshotContent, { name: `snapcontent-${uid}` });
const told = `Warning SnapshotMissing: VolumeSnapshot default/backup with UID ${lostUid} does not exist`;

describe("a content that is restored from a backup without its snapshot", () => {
  test("stays, and that is told once", async () => {
    await using world = await startSnapshotWorld();
    await world.create(VolumeSnapshotContent, contentOf(lostUid));
    await world.untilEvent(`snapcontent-${lostUid}`, told);
    await world.admin.patch(
      VolumeSnapshotContent,
      { name: `snapcontent-${lostUid}` },
      mergePatch({ metadata: { annotations: { a: "b" }, finalizers: null } }),
    );
    const { metadata } = await world.until(
      VolumeSnapshotContent,
      { name: `snapcontent-${lostUid}` },
      (content) => content.metadata?.finalizers,
    );
    expect([metadata?.deletionTimestamp, metadata?.annotations]).toEqual([undefined, { a: "b" }]);
    expect((await world.events(`snapcontent-${lostUid}`)).filter((event) => event.startsWith("Warning"))).toHaveLength(1);
  });

  test("stays if another snapshot has the name of its own, and when the controller starts", async () => {
    await using world = await startSnapshotWorld({ stopped: true });
    await world.addClass();
    await world.addClaim();
    const snapshot = await world.addSnapshot();
    await world.create(VolumeSnapshotContent, contentOf(lostUid));
    await world.controller.run();
    await world.untilContent(snapshot);
    await world.answer(contentNameOf(snapshot));
    await world.untilSnapshot(isReady);
    await world.untilEvent(`snapcontent-${lostUid}`, told);
    expect((await read(world)).metadata?.deletionTimestamp).toBeUndefined();
  });

  test("stays with its group snapshot missing", async () => {
    await using world = await startGroupWorld();
    world.sidecar.takes = false;
    const ref = { name: `groupsnapcontent-${lostUid}` };
    await world.create(VolumeGroupSnapshotContent, {
      metadata: { ...ref, finalizers: [groupSnapshotFinalizer.content] },
      spec: {
        ...{ deletionPolicy: "Delete", driver: driverName, source: { volumeHandles: ["h"] } },
        volumeGroupSnapshotRef: { ...inDefault("group"), uid: lostUid },
      } as never,
    });
    await world.untilEvent(ref.name, `Warning GroupSnapshotMissing: VolumeGroupSnapshot default/group with UID ${lostUid} does not exist`);
    expect((await world.admin.get(VolumeGroupSnapshotContent, ref)).metadata?.deletionTimestamp).toBeUndefined();
  });
});

describe("a content that arrives after its snapshot was let go by a process that was killed", () => {
  /** A snapshot that was deleted before its content was created, and of which the running process knows nothing. */
  async function withGone(): Promise<{ readonly world: SnapshotWorld; readonly uid: string }> {
    const world = await startSnapshotWorld();
    await world.addClass();
    await world.addClaim();
    world.controller.disturb({ verb: "create", resource: VolumeSnapshotContent, how: "dies before" });
    const snapshot = await world.addSnapshot();
    await world.untilTrue(() => world.controller.dead);
    await world.admin.delete(VolumeSnapshot, backup);
    await world.controller.run();
    await world.untilGone(VolumeSnapshot, backup);
    await world.controller.kill();
    await world.controller.run();
    return { world, uid: snapshot.metadata?.uid ?? "" };
  }

  test("is deleted: the server's history shows that the snapshot was", async () => {
    const { world, uid } = await withGone();
    await using _ = world;
    await world.create(VolumeSnapshotContent, contentOf(uid));
    await world.letGo(`snapcontent-${uid}`);
    await world.untilGone(VolumeSnapshotContent, { name: `snapcontent-${uid}` });
  });

  test("stays if it is to be retained in this very moment", async () => {
    const { world, uid } = await withGone();
    await using _ = world;
    const name = `snapcontent-${uid}`;
    const retain = () => world.admin.patch(VolumeSnapshotContent, { name }, mergePatch({ spec: { deletionPolicy: "Retain" } }));
    world.controller.disturb({ resource: VolumeSnapshotContent, how: "sent", meanwhile: retain });
    await world.create(VolumeSnapshotContent, contentOf(uid));
    await world.until(VolumeSnapshotContent, { name }, ({ spec }) => spec?.deletionPolicy === "Retain");
    await world.witness();
    expect((await read(world, uid)).metadata?.deletionTimestamp).toBeUndefined();
  });
});
