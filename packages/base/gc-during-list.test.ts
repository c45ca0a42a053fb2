import { expect, test } from "bun:test";
import { GcDuringList } from "./gc-during-list.ts";

/** A list is given by the sizes of its pages. */
test.each([
  { lists: [[0]], soon: 0, thorough: 0 },
  { lists: [[999]], soon: 0, thorough: 0 },
  { lists: [[999], [999]], soon: 0, thorough: 0 },
  { lists: [[1_000]], soon: 1, thorough: 1 },
  { lists: [Array.from({ length: 20_000 }, () => 1)], soon: 20, thorough: 1 },
  { lists: [[20_000]], soon: 1, thorough: 1 },
  { lists: [[700, 700, 700]], soon: 2, thorough: 1 },
  { lists: [[20_000], [10]], soon: 1, thorough: 1 },
])("lists with pages of $lists objects are worth $soon collections and $thorough thorough ones", ({ lists, ...expected }) => {
  const collected = { soon: 0, thorough: 0 };
  const gc = new GcDuringList((how) => collected[how]++);
  for (const pages of lists) {
    for (const objects of pages) gc.objectsRead(objects);
    gc.listDone();
  }
  expect(collected).toEqual(expected);
});
