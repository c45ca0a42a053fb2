import { expect, test } from "bun:test";
import { concurrentWrites, defaultMaxWaiting, type EventLoad, maxHoldMs, usualConcurrency } from "./event-throttle.ts";

const working = { working: true, oldestMs: 0 };

test.each<[what: string, load: EventLoad, writes: number]>([
  ["nothing else is going on", { waiting: 1, oldestMs: 0, working: false }, usualConcurrency],
  ["the work is busy", { waiting: 2_000, ...working }, 0],
  ["it has been for too long", { waiting: 2_000, working: true, oldestMs: maxHoldMs }, usualConcurrency],
  ["many wait", { waiting: 10_000, ...working }, 4],
  ["as many as 10,000 volumes make", { waiting: 20_000, ...working }, 16],
  ["one more would be too many", { waiting: defaultMaxWaiting, ...working }, 100],
  ["many wait, and nothing else is going on", { waiting: 20_000, oldestMs: 0, working: false }, 16],
])("%s", (_, load, writes) => {
  expect(concurrentWrites(load)).toBe(writes);
});
