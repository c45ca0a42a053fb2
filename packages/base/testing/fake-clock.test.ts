import { describe, expect, test } from "bun:test";
import { systemClock } from "../clock.ts";
import { FakeClock } from "./fake-clock.ts";

describe("FakeClock", () => {
  test("fires timers in the order of their due times, then of their making", async () => {
    const clock = new FakeClock();
    const fired: string[] = [];
    clock.after(20, () => fired.push("late"));
    clock.after(10, () => fired.push("first"));
    clock.after(10, () => fired.push("second"));
    await clock.advance(15);
    expect(fired).toEqual(["first", "second"]);
    await clock.advance(5);
    expect(fired).toEqual(["first", "second", "late"]);
  });

  test("runs timers that are armed while time moves, at their own time", async () => {
    const clock = new FakeClock();
    const seen: number[] = [];
    const loop = async () => {
      for (let i = 0; i < 3; i++) {
        await clock.sleep(10);
        seen.push(clock.monotonic());
      }
    };
    const done = loop();
    await clock.advance(100);
    await done;
    expect(seen).toEqual([10, 20, 30]);
    expect(clock.monotonic()).toBe(100);
  });

  test("moves wall time and monotonic time together", async () => {
    const clock = new FakeClock(1_000);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic()]).toEqual([1_250, 250]);
  });

  test("tells what waits", () => {
    const clock = new FakeClock();
    expect(clock.nextIn).toBeUndefined();
    const timer = clock.after(30, () => {});
    clock.after(70, () => {});
    expect([clock.waiting, clock.nextIn]).toEqual([2, 30]);
    timer.cancel();
    expect([clock.waiting, clock.nextIn]).toEqual([1, 70]);
  });
});

describe.each([
  ["FakeClock", () => new FakeClock()],
  ["systemClock", () => systemClock],
] as const)("sleep on %s", (_, make) => {
  test("ends at once with the reason when the signal aborts, and leaves no timer", async () => {
    const clock = make();
    const abort = new AbortController();
    const sleep = clock.sleep(60_000, abort.signal);
    abort.abort("enough");
    expect(await sleep.catch((reason) => reason)).toBe("enough");
    if (clock instanceof FakeClock) expect(clock.waiting).toBe(0);
  });

  test("does not begin when the signal has aborted before", async () => {
    expect(
      await make()
        .sleep(60_000, AbortSignal.abort("before"))
        .catch((reason) => reason),
    ).toBe("before");
  });
});

test("systemClock waits for delays beyond the limit of a timer instead of firing at once", async () => {
  let fired = false;
  const timer = systemClock.after(2 ** 32, () => {
    fired = true;
  });
  await systemClock.sleep(5);
  timer.cancel();
  expect(fired).toBe(false);
});
