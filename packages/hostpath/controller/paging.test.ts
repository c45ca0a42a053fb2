import { describe, expect, test } from "bun:test";
import { outcome, startWorld, type World } from "../testing/driver-world.ts";
import { create, named, snap } from "../testing/requests.ts";

const idsOf = (entries: readonly { readonly volume?: { readonly volumeId: string } }[]) =>
  entries.map(({ volume }) => volume?.volumeId ?? "");

async function volumes(world: World, count: number): Promise<string[]> {
  return (await Promise.all(Array.from({ length: count }, (_, i) => create(world, named(`v${i}`))))).sort();
}

test("pages of volumes hold all of them once, in order", async () => {
  await using world = await startWorld();
  const all = await volumes(world, 7);
  const pages: string[][] = [];
  let startingToken = "";
  do {
    const { entries, nextToken } = await world.client.controller.listVolumes({ maxEntries: 3, startingToken });
    pages.push(idsOf(entries));
    startingToken = nextToken;
  } while (startingToken);
  expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
  expect(pages.flat()).toEqual(all);
  expect(idsOf((await world.client.controller.listVolumes({})).entries)).toEqual(all);
});

test("a page that is exactly full is the last one", async () => {
  await using world = await startWorld();
  await volumes(world, 3);
  expect((await world.client.controller.listVolumes({ maxEntries: 3 })).nextToken).toBe("");
});

test("what comes and goes between pages hides nothing else, even when the last volume of a page is deleted", async () => {
  await using world = await startWorld();
  const all = await volumes(world, 6);
  const { controller } = world.client;
  const first = await controller.listVolumes({ maxEntries: 3 });
  await controller.deleteVolume({ volumeId: all[2]! });
  await controller.deleteVolume({ volumeId: all[0]! });
  const added = await create(world, named("added"));
  await world.restart("kill");
  const rest = await world.client.controller.listVolumes({ startingToken: first.nextToken });
  const expected = [...all.slice(3), ...(added > all[2]! ? [added] : [])].sort();
  expect(idsOf(rest.entries)).toEqual(expected);
});

describe("a token that is none", () => {
  test.each(["invalid-token", "7", "%%%", Buffer.from("before x").toString("base64url")])("%p", async (startingToken) => {
    await using world = await startWorld();
    const expected = `Aborted: invalid starting_token ${JSON.stringify(startingToken)}: start again without one`;
    expect(await outcome(world.client.controller.listVolumes({ startingToken }))).toBe(expected);
    expect(await outcome(world.client.controller.listSnapshots({ startingToken }))).toBe(expected);
  });
});

test("a page of a negative size is refused", async () => {
  await using world = await startWorld();
  expect(await outcome(world.client.controller.listVolumes({ maxEntries: -1 }))).toStartWith("InvalidArgument");
});

test("snapshots come in pages too, also those of one volume", async () => {
  await using world = await startWorld({ backend: "memory" });
  const [a, b] = [await create(world, named("a")), await create(world, named("b"))];
  const ofA = (await Promise.all([1, 2, 3, 4, 5].map((i) => snap(world, `a${i}`, a)))).sort();
  await snap(world, "b1", b);
  const { controller } = world.client;
  const first = await controller.listSnapshots({ sourceVolumeId: a, maxEntries: 2 });
  const rest = await controller.listSnapshots({ sourceVolumeId: a, startingToken: first.nextToken });
  expect([...first.entries, ...rest.entries].map(({ snapshot }) => snapshot?.snapshotId ?? "")).toEqual(ofA);
  expect((await controller.listSnapshots({ maxEntries: 2 })).entries).toHaveLength(2);
  expect((await controller.listSnapshots({})).entries).toHaveLength(6);
});
