import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { EventLoopYield } from "./event-loop-yield.ts";

test("a pause comes only after many steps that took long, and lets others have their turn", async () => {
  const clock = new FakeClock();
  const eventLoopYield = new EventLoopYield(clock);
  for (let i = 0; i < 1_000; i++) expect(eventLoopYield.step()).toBeUndefined();
  await clock.advance(11);
  let others = 0;
  setImmediate(() => others++);
  let pauses = 0;
  for (let i = 0; i < 256; i++) {
    const pause = eventLoopYield.step();
    if (!pause) continue;
    pauses++;
    expect(others).toBe(0);
    await pause;
    expect(others).toBe(1);
  }
  expect(pauses).toBe(1);
});
