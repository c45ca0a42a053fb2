import { expect, test } from "bun:test";
import {
  groupSnapshotAnnotation,
  mergePatch,
  snapshotAnnotation,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotContent,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { RelistedKind } from "@csi-sidecars/testcluster";
import { driverName, startGroupWorld } from "./testing/group-world.ts";
import { existingContent, inDefault, preProvisioned } from "./testing/objects.ts";
import { contentNameOf, isReady, startSnapshotWorld } from "./testing/snapshot-world.ts";

const label = (how: string) => mergePatch({ metadata: { labels: { list: how } } });

test("snapshots and contents that lists leave out, and that the API server has, stay", async () => {
  const [snapshots, contents] = [new RelistedKind(VolumeSnapshot), new RelistedKind(VolumeSnapshotContent)];
  await using world = await startSnapshotWorld({
    wrapClient: (client, { name }) => (name === "informers" ? snapshots.client(contents.client(client)) : client),
  });
  await world.addClaim();
  await world.addClass();
  const name = contentNameOf(await world.addSnapshot());
  await world.until(VolumeSnapshotContent, { name }, () => true);
  await world.answer(name);
  await world.untilSnapshot(isReady);

  const listSnapshots = (how: "right" | "empty") =>
    snapshots.relist(how, () => world.admin.patch(VolumeSnapshot, inDefault("backup"), label(how)));
  const listContents = (how: "right" | "empty") =>
    contents.relist(how, () => world.admin.patch(VolumeSnapshotContent, { name }, label(how)));
  await listContents("empty");
  await listSnapshots("empty");
  await listSnapshots("right");
  await listContents("right");
  await world.witness();
  await world.untilSnapshot(isReady);
  const { metadata } = await world.admin.get(VolumeSnapshotContent, { name });
  expect([metadata?.deletionTimestamp, metadata?.annotations?.[snapshotAnnotation.beingDeleted]]).toEqual([undefined, undefined]);
}, 40_000);

test("and so do group snapshots and their contents", async () => {
  const [groups, contents] = [new RelistedKind(VolumeGroupSnapshot), new RelistedKind(VolumeGroupSnapshotContent)];
  await using world = await startGroupWorld({
    wrapClient: (client, { name }) => (name === "informers" ? groups.client(contents.client(client)) : client),
  });
  await world.readyGroup();
  const [content] = await world.groupContents();
  const ref = { name: content?.metadata?.name ?? "" };
  const listGroups = (how: "right" | "empty") =>
    groups.relist(how, () => world.admin.patch(VolumeGroupSnapshot, inDefault("group"), label(how)));
  const listContents = (how: "right" | "empty") =>
    contents.relist(how, () => world.admin.patch(VolumeGroupSnapshotContent, ref, label(how)));
  await listContents("empty");
  await listGroups("empty");
  await listGroups("right");
  await listContents("right");
  await world.addGroup("witness");
  await world.untilGroup(({ status }) => status?.readyToUse, "witness");
  const { metadata } = await world.admin.get(VolumeGroupSnapshotContent, ref);
  expect([metadata?.deletionTimestamp, metadata?.annotations?.[groupSnapshotAnnotation.beingDeleted]]).toEqual([undefined, undefined]);
}, 40_000);

test("a snapshot that is deleted while a list leaves out its content takes the content with it", async () => {
  const contents = new RelistedKind(VolumeSnapshotContent);
  await using world = await startSnapshotWorld({
    wrapClient: (client, { name }) => (name === "informers" ? contents.client(client) : client),
  });
  await world.addClass();
  const existing = { name: "existing" };
  await world.create(VolumeSnapshotContent, existingContent());
  await world.addSnapshot(preProvisioned());
  await world.answer("existing");
  await world.untilSnapshot(isReady);
  const listContents = (how: "right" | "empty") =>
    contents.relist(how, () => world.admin.patch(VolumeSnapshotContent, existing, label(how)));
  await listContents("empty");
  await world.admin.delete(VolumeSnapshot, inDefault("backup"));
  await world.untilTrue(async () => (await world.controller.requests()).includes("get volumesnapshotcontents existing"));
  await listContents("right");
  await world.letGo("existing");
  await world.untilGone(VolumeSnapshotContent, existing);
  await world.untilGone(VolumeSnapshot, inDefault("backup"));
}, 40_000);

test("and so does a group snapshot", async () => {
  const contents = new RelistedKind(VolumeGroupSnapshotContent);
  await using world = await startGroupWorld({
    wrapClient: (client, { name }) => (name === "informers" ? contents.client(client) : client),
  });
  const content = { name: "content" };
  const groupSnapshotHandles = { volumeGroupSnapshotHandle: "stored", volumeSnapshotHandles: ["s1"] };
  const volumeGroupSnapshotRef = inDefault("group");
  const spec = { deletionPolicy: "Delete" as const, driver: driverName, source: { groupSnapshotHandles }, volumeGroupSnapshotRef };
  await world.create(VolumeGroupSnapshotContent, { metadata: content, spec });
  await world.addGroup("group", { source: { volumeGroupSnapshotContentName: "content" } });
  await world.untilGroup(({ status }) => status?.readyToUse);
  await contents.relist("empty", () => world.admin.patch(VolumeGroupSnapshotContent, content, label("empty")));
  await world.deleteGroup();
  await world.untilNothingIsLeft();
  expect([...world.sidecar.groups]).toEqual([]);
  expect((await world.controller.requests()).filter((request) => request === "get volumegroupsnapshotcontents content")).toHaveLength(1);
}, 40_000);
