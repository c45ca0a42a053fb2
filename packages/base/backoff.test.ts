import { expect, test } from "bun:test";
import { backoffDelays, jitter } from "./backoff.ts";

const take = (n: number, delays: Iterator<number>) => Array.from({ length: n }, () => delays.next().value);

test("delays grow by the factor and stop at the cap", () => {
  expect(take(6, backoffDelays({ start: 800, factor: 2, cap: 5_000 }))).toEqual([800, 1_600, 3_200, 5_000, 5_000, 5_000]);
});

test("jitter adds up to its fraction and never subtracts", () => {
  expect(jitter(1_000, 0.5, () => 0)).toBe(1_000);
  expect(jitter(1_000, 0.5, () => 0.999)).toBeCloseTo(1_499.5);
  expect(
    take(
      2,
      backoffDelays({ start: 100, factor: 2, cap: 1_000, jitter: 1 }, () => 0.5),
    ),
  ).toEqual([150, 300]);
});
