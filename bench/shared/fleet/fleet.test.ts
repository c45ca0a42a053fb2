import { expect, test } from "bun:test";
import { Fleet } from "./fleet.ts";

/** Reads a whole list; returns how many volumes it has, and how many of them are abnormal. */
function listAll(fleet: Fleet, now = 5): string {
  const entries = [];
  for (let token = ""; ; ) {
    const page = fleet.list(token, now);
    entries.push(...page.entries);
    token = page.nextToken;
    if (token === "") return `${entries.length}, ${entries.filter(({ status }) => status.volumeCondition.abnormal).length} abnormal`;
  }
}

test("a fleet is listed page by page, and its conditions change from list to list", () => {
  const fleet = new Fleet();
  expect(listAll(fleet)).toBe("0, 0 abnormal");
  fleet.obey({ volumes: 2_500, report: { volumes: 1_100, conditions: ["abnormal", "not listed", "normal"] } });
  expect([listAll(fleet), listAll(fleet), listAll(fleet), listAll(fleet)]).toEqual([
    "2500, 1100 abnormal",
    "1400, 0 abnormal",
    "2500, 0 abnormal",
    "2500, 0 abnormal",
  ]);
  expect(fleet.obey({})).toMatchObject({ listCalls: 13, lists: 5, firstListAt: 5 });
  fleet.obey({ restart: true });
  listAll(fleet, 7);
  listAll(fleet, 9);
  expect(fleet.obey({}).firstListAt).toBe(7);
});

test("volumes that are asked for one by one count once, and calls at the same time are noticed", async () => {
  const fleet = new Fleet();
  const { promise, resolve } = Promise.withResolvers<void>();
  const calls = ["a", "b", "a"].map((id) => fleet.get(id, () => promise));
  resolve();
  await Promise.all(calls);
  expect(fleet.obey({ restart: true })).toMatchObject({ getCalls: 3, gotVolumes: 0, mostAtOnce: 3 });
  await fleet.get("b", async () => {});
  expect(fleet.obey({})).toMatchObject({ getCalls: 4, gotVolumes: 1, mostAtOnce: 3 });
});
