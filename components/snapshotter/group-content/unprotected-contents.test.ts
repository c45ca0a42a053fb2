import { expect, test } from "bun:test";
import { step } from "@csi-sidecars/testcluster";
import { groupContent } from "./testing/group-objects.ts";
import { startGroupWorld } from "./testing/group-world.ts";

test("a content that is deleted before it has its finalizer waits for the driver's answer", async () => {
  await using world = await startGroupWorld();
  world.driver.script("CreateVolumeGroupSnapshot", step.waitFor("slow"));
  await world.addContent(groupContent({ metadata: { finalizers: [] } }));
  await world.driver.called("CreateVolumeGroupSnapshot");
  await world.deleteContent();
  world.driver.release("slow");
  await world.untilGone();
  expect([world.driver.groups.size, world.driver.snapshots.size]).toEqual([0, 0]);
  expect(world.driver.calls("DeleteVolumeGroupSnapshot")).toHaveLength(1);
});
