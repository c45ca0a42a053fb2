import { expect, test } from "bun:test";
import { GcAfterList } from "./gc-after-list.ts";

/** A list is given by the sizes of its pages. */
test.each([
  { lists: [[0]], collections: 0 },
  { lists: [[999]], collections: 0 },
  { lists: [[999], [999]], collections: 0 },
  { lists: [[1_000]], collections: 1 },
  { lists: [Array.from({ length: 20_000 }, () => 1)], collections: 1 },
  { lists: [[700, 700, 700]], collections: 1 },
  { lists: [[20_000], [10]], collections: 1 },
  { lists: [[20_000], [20_000]], collections: 2 },
])("lists with pages of $lists objects are worth $collections collections", ({ lists, collections }) => {
  const collected: string[] = [];
  const gc = new GcAfterList((how) => collected.push(how));
  for (const pages of lists) {
    for (const objects of pages) {
      gc.objectsRead(objects);
      expect(collected.length).toBeLessThan(lists.length);
    }
    gc.listDone();
  }
  expect(collected).toEqual(Array(collections).fill("thorough"));
});
