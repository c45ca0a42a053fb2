import { expect, test } from "bun:test";
import { VolumeSnapshotContent } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { startWorld } from "./testing/content-world.ts";
import { finalizer } from "./testing/objects.ts";

/* Upstream's snapshot-controller creates contents without finalizers, and adds ours some time later. */

test("a content that is deleted before it has its finalizer waits for the driver's answer", async () => {
  await using world = await startWorld();
  world.driver.script("CreateSnapshot", step.waitFor("go"));
  await world.addContent({ metadata: { finalizers: [] } });
  await world.driver.called("CreateSnapshot");
  await world.abandon();
  world.driver.release("go");
  await world.untilGone();
  expect([world.driver.snapshots.size, world.driver.calls("DeleteSnapshot").length]).toEqual([0, 1]);
  expect(await world.refused()).toEqual([]);
});

test("a finalizer that somebody else adds in this moment stays", async () => {
  await using world = await startWorld();
  world.disturb({
    resource: VolumeSnapshotContent,
    how: "sent",
    meanwhile: () => world.patchContent({ metadata: { finalizers: ["other.io/f"] } }),
  });
  await world.addContent({ metadata: { finalizers: [] } });
  const { metadata } = await world.untilReady();
  expect(metadata?.finalizers).toEqual(["other.io/f", finalizer]);
  expect(world.driver.calls("CreateSnapshot")).toHaveLength(1);
  expect(await world.events()).toEqual([]);
});
