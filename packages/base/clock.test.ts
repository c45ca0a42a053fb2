import { expect, test } from "bun:test";
import { secondsSince } from "./clock.ts";

test.each([
  [6.848_684_999_858_96, 0.006849],
  [1_500, 1.5],
  [0, 0],
])("%p ms ago is %p s", (ms, seconds) => {
  expect(secondsSince({ monotonic: () => 1_000 + ms }, 1_000)).toBe(seconds);
});
