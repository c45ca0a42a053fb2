import { expect, test } from "bun:test";
import { budgetOf } from "./budget.ts";

test.each([
  ["a tenth is kept back", 500, 450],
  ["but never more than 100 ms", 3_000, 2_900],
  ["no time at all stays none", 0, 0],
])("%s", (_, probeTimeout, budget) => {
  expect(budgetOf(probeTimeout)).toBe(budget);
});
