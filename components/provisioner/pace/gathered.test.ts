import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { Gathered } from "./gathered.ts";

test("wishes that come together are one work; later ones another; none after the stop", async () => {
  const clock = new FakeClock();
  const done: number[] = [];
  const gathered = new Gathered({ clock, pauseMs: () => 100, work: () => void done.push(clock.monotonic()) });
  for (let n = 0; n < 5; n++) {
    gathered.wish();
    await clock.advance(10);
  }
  await clock.advance(200);
  gathered.wish();
  await clock.advance(200);
  expect(done).toEqual([100, 350]);
  gathered.wish();
  gathered.stop();
  await clock.advance(200);
  expect(done).toHaveLength(2);
});
