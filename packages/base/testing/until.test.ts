import { expect, test } from "bun:test";
import { FakeClock } from "./fake-clock.ts";
import { advanceUntil } from "./until.ts";

test("time advances until it has happened, and no further", async () => {
  const clock = new FakeClock();
  await advanceUntil(clock, "a second", () => clock.monotonic() >= 1_000, { stepMs: 300 });
  expect(clock.monotonic()).toBe(1_200);
});

test("what does not happen is named, with what was seen last", async () => {
  let looks = 0;
  const never = () => ++looks < 0;
  const waiting = advanceUntil(new FakeClock(), () => `rain, after ${looks > 0 ? "some" : "no"} looks`, never, { stepMs: 1, limitMs: 5 });
  await expect(waiting).rejects.toThrow("timed out after 5 ms waiting for: rain, after some looks");
});
