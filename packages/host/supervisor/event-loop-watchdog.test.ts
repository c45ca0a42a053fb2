import { expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { startWatchdog } from "./event-loop-watchdog.ts";

test("a stalled event loop is measured, reported with who ran last, and unhealthy when long", async () => {
  const clock = new FakeClock();
  let stalled = 0;
  const stalling = {
    ...clock,
    now: () => clock.now(),
    monotonic: () => clock.monotonic() + stalled,
    after: clock.after.bind(clock),
    sleep: clock.sleep.bind(clock),
  };
  const log = recordingLogger();
  const registry = new Registry();
  const ends = new AbortController();
  const watchdog = startWatchdog({ clock: stalling, log, registry, signal: ends.signal, lastEntered: () => "resizer" });
  await clock.advance(3_000);
  expect([log.lines.length, watchdog.problem()]).toEqual([0, undefined]);
  stalled = 12_000;
  await clock.advance(1_000);
  expect(log.lines[0]).toMatchObject({ message: "The event loop was blocked", fields: { seconds: 12, lastEntered: "resizer" } });
  expect(watchdog.problem()).toBe("the event loop was blocked for 12 s");
  expect((await registry.getSingleMetric("csi_sidecars_event_loop_lag_seconds")?.get())?.values[0]?.value).toBe(12);
  await clock.advance(1_000);
  expect(watchdog.problem()).toBeUndefined();
  ends.abort();
  expect(clock.waiting).toBe(0);
});
