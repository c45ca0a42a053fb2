import { expect, test } from "bun:test";
import { startWorld } from "./testing/capacity-world.ts";
import { addClass, addNode } from "./testing/manifests.ts";

const zones = Array.from({ length: 8 }, (_, index) => `zone${index}`);

test("with 1 request per second and 5 at once, the discovery and 8 objects take 4 seconds", async () => {
  await using world = await startWorld();
  await addClass(world.admin, "fast");
  for (const zone of zones) await addNode(world.admin, zone, { zone });
  const start = world.clock.monotonic();
  await world.start({ threads: 4, limit: { qps: 1, burst: 5 } });
  await world.until(async () => (await world.objects()).length === zones.length);
  expect(await world.refused()).toEqual([]);
  expect(world.clock.monotonic() - start).toBeGreaterThanOrEqual(4_000);
});
