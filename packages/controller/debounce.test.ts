import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { Debounce } from "./debounce.ts";

test("triggers of one burst run the work once; later ones again; none after the stop", async () => {
  const clock = new FakeClock();
  const done: number[] = [];
  const debounce = new Debounce({ clock, delayMs: () => 100, work: () => void done.push(clock.monotonic()) });
  for (let n = 0; n < 5; n++) {
    debounce.trigger();
    await clock.advance(10);
  }
  await clock.advance(200);
  debounce.trigger();
  await clock.advance(200);
  expect(done).toEqual([100, 350]);
  debounce.trigger();
  debounce.stop();
  await clock.advance(200);
  expect(done).toHaveLength(2);
});
