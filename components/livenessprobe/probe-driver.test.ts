import { expect, test } from "bun:test";
import { probeBudget } from "./probe-driver.ts";

test.each([
  ["a tenth is kept back", 500, 450],
  ["but never more than 100 ms", 3_000, 2_900],
  ["no time at all stays none", 0, 0],
])("%s", (_, probeTimeout, budget) => {
  expect(probeBudget(probeTimeout)).toBe(budget);
});
