import { expect, test } from "bun:test";
import { isQuiet, quarterAt } from "./phases.ts";

test("every other quarter is quiet, and so is what comes after the last", () => {
  const minutes = [0, 29, 30, 59, 60, 89, 90, 119, 120, 130];
  expect(minutes.map((each) => quarterAt(each * 60, 2))).toEqual([0, 0, 1, 1, 2, 2, 3, 3, undefined, undefined]);
  expect(minutes.map((each) => isQuiet(each * 60, 2))).toEqual([false, false, true, true, false, false, true, true, true, true]);
});
