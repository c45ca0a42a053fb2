import { describe, expect, test } from "bun:test";
import { startWorld } from "./testing/driver-world.ts";
import { named } from "./testing/requests.ts";

const page = 500;

async function pages({ client }: Awaited<ReturnType<typeof startWorld>>): Promise<string[]> {
  const ids: string[] = [];
  let startingToken = "";
  do {
    const { entries, nextToken } = await client.controller.listVolumes({ maxEntries: page, startingToken });
    ids.push(...entries.map(({ volume }) => volume?.volumeId ?? ""));
    startingToken = nextToken;
  } while (startingToken);
  return ids;
}

/** CPU milliseconds per call, driver and client together: unlike time on the clock it does not depend on who else is busy. */
async function costOf(calls: number, call: (index: number) => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let index = 0; index < calls; index++) await call(index);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

describe("thousands of volumes", () => {
  test("10,000 in memory: a creation costs less than a millisecond, pages are stable", async () => {
    const count = 10_000;
    await using world = await startWorld({ backend: "memory" });
    const { controller } = world.client;
    await costOf(100, () => controller.createVolume(named("warm-up")));
    const empty = await costOf(300, (index) => controller.createVolume(named(`first-${index}`)));
    await world.driver.script.backend.seed(count - 601, 0);
    const full = await costOf(300, (index) => controller.createVolume(named(`last-${index}`)));
    expect(full).toBeLessThan(1);
    expect(full).toBeLessThan(2 * empty + 0.3);
    const ids = await pages(world);
    expect(new Set(ids).size).toBe(count);
    expect(ids).toEqual(ids.toSorted());
    expect(await pages(world)).toEqual(ids);
  }, 60_000);

  test("3,000 on disk: the cost of a change does not grow with the state, and a new start knows all", async () => {
    const count = 3_000;
    await using world = await startWorld();
    const create = (prefix: string) => costOf(200, (index) => world.client.controller.createVolume(named(`${prefix}-${index}`)));
    const empty = await create("first");
    await world.driver.script.backend.seed(count - 400, 0);
    const full = await create("last");
    expect(full).toBeLessThan(3 * empty + 1);
    const ids = await pages(world);
    expect(ids).toHaveLength(count);
    await world.restart("kill");
    expect(await pages(world)).toEqual(ids);
    await world.restart("stop");
    expect(await pages(world)).toEqual(ids);
  }, 60_000);
});
