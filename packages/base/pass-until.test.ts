import { expect, test } from "bun:test";
import { FakeClock } from "./fake-clock.ts";
import { passUntil } from "./pass-until.ts";

test("time passes until it has happened, and no longer", async () => {
  const clock = new FakeClock();
  await passUntil(clock, "a second", () => clock.monotonic() >= 1_000, { stepMs: 300 });
  expect(clock.monotonic()).toBe(1_200);
});

test("what does not happen is named, with what was seen last", async () => {
  let looks = 0;
  const never = () => ++looks < 0;
  const waiting = passUntil(new FakeClock(), () => `rain, after ${looks > 0 ? "some" : "no"} looks`, never, { stepMs: 1, limitMs: 5 });
  await expect(waiting).rejects.toThrow("waited 5 ms in vain for: rain, after some looks");
});
