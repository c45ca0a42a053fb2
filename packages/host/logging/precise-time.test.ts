import { expect, test } from "bun:test";
import { preciseTime } from "./precise-time.ts";

test("wall time with microseconds, also after the clock was set", () => {
  const at = { wall: 0, monotonic: 0 };
  const time = preciseTime({ now: () => at.wall, monotonic: () => at.monotonic });
  const told = (
    [
      ["begins with whole milliseconds", 1_800_000_000_000, 5.4, 1_800_000_000_000],
      ["fractions of the monotonic clock", 1_800_000_000_000, 5.527_1, 1_800_000_000_000.127],
      ["the next millisecond", 1_800_000_000_001, 6.9, 1_800_000_000_001.5],
      ["wall time is ahead", 1_800_000_000_003, 7.9, 1_800_000_000_003],
      ["and has fractions again", 1_800_000_000_003, 8.025, 1_800_000_000_003.125],
      ["set backwards", 1_700_000_000_000, 9, 1_700_000_000_000],
      ["set forwards", 1_900_000_000_000, 9.25, 1_900_000_000_000],
    ] as const
  ).map(([what, wall, monotonic, expected]) => {
    Object.assign(at, { wall, monotonic });
    return { what, time: time(), expected };
  });
  expect(told.filter(({ time, expected }) => Math.abs(time - expected) > 0.000_5)).toEqual([]);
});
