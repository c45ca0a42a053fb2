import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { ChangingAvailability } from "@csi-sidecars/csi";
import { DriverPresence } from "./driver-presence.ts";

const never = new AbortController().signal;

function start() {
  const clock = new FakeClock();
  const availability = new ChangingAvailability();
  return { clock, availability, presence: new DriverPresence({ availability, gracePeriodMs: 30_000, clock }) };
}

test("a driver is present from its first answer on", async () => {
  const { clock, availability, presence } = start();
  const waiting = presence.present(never);
  await clock.advance(60_000);
  expect(presence.goneForMs).toBe(60_000);
  availability.change(true);
  expect([(await waiting)?.aborted, presence.goneForMs]).toEqual([false, undefined]);
});

test("a driver that is lost is gone after the grace period, until it answers again", async () => {
  const { clock, availability, presence } = start();
  availability.change(true);
  const gone = await presence.present(never);
  await clock.advance(5_000);
  availability.change(false);
  await clock.advance(29_999);
  expect([gone?.aborted, await presence.present(never), presence.goneForMs]).toEqual([false, gone, undefined]);
  expect(presence.awayForMs).toBe(29_999);
  await clock.advance(1);
  expect([gone?.aborted, presence.goneForMs, presence.awayForMs]).toEqual([true, 30_000, undefined]);
  await clock.advance(1_000);
  expect(presence.goneForMs).toBe(31_000);
  const back = presence.present(never);
  availability.change(true);
  expect([(await back)?.aborted, presence.goneForMs, presence.awayForMs]).toEqual([false, undefined, undefined]);
});

test("the grace period begins anew with each loss", async () => {
  const { clock, availability, presence } = start();
  availability.change(true);
  const gone = await presence.present(never);
  for (let i = 0; i < 10; i++) {
    availability.change(false);
    await clock.advance(29_000);
    availability.change(true);
    await clock.advance(500);
  }
  expect([gone?.aborted, clock.waiting]).toEqual([false, 0]);
});

test("nothing is left waiting when it is closed, or when the asker's signal aborts", async () => {
  const { clock, availability, presence } = start();
  const asker = new AbortController();
  const waiting = presence.present(asker.signal);
  asker.abort();
  expect(await waiting).toBeUndefined();
  availability.change(true);
  availability.change(false);
  presence.close();
  expect(clock.waiting).toBe(0);
});
