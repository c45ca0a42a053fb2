import { expect, test } from "bun:test";
import { mergePatch, PersistentVolumeClaim, VolumeGroupSnapshotContent, VolumeSnapshot } from "@csi-sidecars/kube";
import { inDefault, startGroupWorld } from "../testing/group-world.ts";

test("a group and its snapshots stay until its content, and what is in the storage system, is gone", async () => {
  await using world = await startGroupWorld({ flags: { retryIntervalStart: 600_000, retryIntervalMax: 600_000 } });
  await world.readyGroup();
  const [content] = await world.groupContents();
  const held = { name: content?.metadata?.name ?? "" };
  // As a driver does that cannot delete the group yet.
  const finalizers = [...(content?.metadata?.finalizers ?? []), "example.com/held"];
  await world.admin.patch(VolumeGroupSnapshotContent, held, mergePatch({ metadata: { finalizers } }));
  await world.deleteGroup();
  const areDeleted = async () => (await world.snapshots()).every(({ metadata }) => metadata?.deletionTimestamp !== undefined);
  await world.untilTrue(areDeleted);
  await world.until(VolumeGroupSnapshotContent, held, ({ metadata }) => metadata?.finalizers?.length === 1);
  // What is done for another one is done after it.
  await world.admin.patch(PersistentVolumeClaim, inDefault("a"), mergePatch({ metadata: { labels: { app: "other" } } }));
  await world.addGroup("witness", { source: { selector: { matchLabels: { app: "other" } } }, volumeGroupSnapshotClassName: "gold" });
  await world.untilGroup(({ status }) => status?.readyToUse, "witness");
  const { metadata } = await world.group();
  expect(metadata?.finalizers).toEqual(["groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-bound-protection"]);
  const members = (await world.snapshots()).filter((each) => each.metadata?.ownerReferences?.[0]?.name === "group");
  expect(members.map((each) => each.metadata?.finalizers?.length)).toEqual([2, 2]);
  await world.admin.patch(VolumeGroupSnapshotContent, held, mergePatch({ metadata: { finalizers: null } }));
  for (const member of members) await world.untilGone(VolumeSnapshot, inDefault(member.metadata?.name ?? ""));
});
