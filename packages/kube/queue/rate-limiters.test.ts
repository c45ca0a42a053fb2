import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { bucketLimiter, defaultControllerLimiter, itemExponential, maxOf, type RateLimiter } from "./rate-limiters.ts";

const delays = (limiter: RateLimiter, times: number, key = "a") => Array.from({ length: times }, () => limiter.when(key));

const tables: [name: string, limiter: () => RateLimiter, expected: number[]][] = [
  [
    "1 s up to 5 minutes doubles ten times",
    () => itemExponential(1_000, 300_000),
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 300].map((s) => s * 1_000),
  ],
  ["bucket: burst first, then one a rate", () => bucketLimiter({ perSecond: 10, burst: 2 }, new FakeClock()), [0, 0, 100, 200]],
  ["the longest of several", () => maxOf(itemExponential(10, 1_000), itemExponential(15, 30)), [15, 30, 40]],
  ["default limiter starts at 5 ms", () => defaultControllerLimiter(new FakeClock()), [5, 10, 20, 40]],
];

describe("delays of consecutive failures", () => {
  test.each(tables)("%s", (_, limiter, expected) => {
    expect(delays(limiter(), expected.length)).toEqual(expected);
  });
});

test("keys count apart, and forget starts over", () => {
  const limiter = itemExponential(1_000, 300_000);
  delays(limiter, 3);
  expect(limiter.when("b")).toBe(1_000);
  expect(limiter.numRequeues("a")).toBe(3);
  limiter.forget("a");
  expect(limiter.numRequeues("a")).toBe(0);
  expect(limiter.when("a")).toBe(1_000);
});

test("thousands of failures stay at the maximum", () => {
  const limiter = itemExponential(1_000, 300_000);
  delays(limiter, 5_000);
  expect(limiter.when("a")).toBe(300_000);
});

test("all members of maxOf count and forget", () => {
  const [one, two] = [itemExponential(1, 100), itemExponential(5, 100)];
  const limiter = maxOf(one, two);
  delays(limiter, 2);
  expect([one.numRequeues("a"), two.numRequeues("a"), limiter.numRequeues("a")]).toEqual([2, 2, 2]);
  limiter.forget("a");
  expect([one.numRequeues("a"), two.numRequeues("a")]).toEqual([0, 0]);
});

test("a bucket refills with time, up to its burst", async () => {
  const clock = new FakeClock();
  const limiter = bucketLimiter({ perSecond: 10, burst: 2 }, clock);
  delays(limiter, 2);
  await clock.advance(60_000);
  expect(delays(limiter, 3)).toEqual([0, 0, 100]);
});

test("the default limiter lets 100 different keys through and then ten a second", () => {
  const limiter = defaultControllerLimiter(new FakeClock());
  for (let i = 0; i < 100; i++) expect(limiter.when(`key-${i}`)).toBe(5);
  expect(limiter.when("late")).toBe(100);
  expect(limiter.when("later")).toBe(200);
});
