import { expect, test } from "bun:test";
import { failedAgain, isLasting } from "./lasting-failure.ts";

test.each([
  [1, 0, false],
  [4, 29_999, false],
  [5, 0, true],
  [1, 30_000, true],
])("%d attempts in %d ms: lasting is %p", (attempts, ms, expected) => {
  expect(isLasting({ attempts, since: 1_000 }, 1_000 + ms)).toBe(expected);
});

test("attempts are counted from the first failure on", () => {
  expect(failedAgain(failedAgain(undefined, 1_000), 2_000)).toEqual({ attempts: 2, since: 1_000 });
});
