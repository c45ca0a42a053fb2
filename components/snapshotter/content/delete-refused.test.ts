import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { step } from "@csi-sidecars/testcluster";
import { startWorld } from "./testing/content-world.ts";
import { beingCreated, finalizer } from "./testing/objects.ts";

test("a deleted content goes at once when it is clear that the driver has nothing of it, whatever delay it has reached", async () => {
  const clock = new FakeClock();
  await using world = await startWorld({ clock, stopped: true, flags: { retryIntervalStart: 1_000, retryIntervalMax: 300_000 } });
  world.driver.always("CreateSnapshot", step.fail("Internal"));
  // What an earlier process has asked for, nobody knows with which outcome.
  await world.addContent({ metadata: { annotations: { [beingCreated]: "yes" } } });
  await world.abandon();
  await world.run();
  for (const refusals of [1, 2]) {
    await world.untilTrue(() => world.log.lines.filter(({ message }) => message.startsWith("Sync failed")).length === refusals);
    await clock.advance(0);
    await clock.advance(clock.nextIn ?? 0);
  }
  await world.untilGone();
  expect(world.driver.calls("CreateSnapshot")).toHaveLength(3);
  expect(world.driver.calls("DeleteSnapshot")).toEqual([]);
});

test("a deleted content whose class is gone stays while the driver says that its snapshot exists with other parameters", async () => {
  await using world = await startWorld({ parameters: null, stopped: true });
  world.driver.always("CreateSnapshot", step.fail("AlreadyExists", "with other parameters"));
  await world.addContent({ metadata: { annotations: { [beingCreated]: "yes" } } });
  await world.abandon();
  await world.run();
  await world.driver.called("CreateSnapshot", 5);
  const { metadata } = await world.content();
  expect([metadata?.annotations?.[beingCreated], metadata?.finalizers]).toEqual(["yes", [finalizer]]);
});
