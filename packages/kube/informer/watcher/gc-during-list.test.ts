import { expect, test } from "bun:test";
import { GcDuringList } from "./gc-during-list.ts";

test.each([
  { objects: [0], soon: 0, thorough: 0 },
  { objects: [999], soon: 0, thorough: 0 },
  { objects: [999, 999], soon: 0, thorough: 0 },
  { objects: [1_000], soon: 1, thorough: 1 },
  { objects: [20_000], soon: 20, thorough: 1 },
  { objects: [20_000, 10], soon: 20, thorough: 1 },
])("lists of $objects objects are worth $soon collections and $thorough thorough ones", ({ objects, ...expected }) => {
  const collected = { soon: 0, thorough: 0 };
  const gc = new GcDuringList((how) => collected[how]++);
  for (const count of objects) {
    for (let i = 0; i < count; i++) gc.objectProjected();
    gc.listDone();
  }
  expect(collected).toEqual(expected);
});
