import { expect, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { DroppedEventsLog } from "./dropped-events-log.ts";

function setUp() {
  const clock = new FakeClock();
  const log = recordingLogger();
  const dropped = new DroppedEventsLog(clock, log);
  const add = (count: number, because = "too many wait") => {
    for (let i = 0; i < count; i++) dropped.add(because);
  };
  const lines = () => log.lines.map(({ error, fields }) => `${fields.events}: ${(error as Error).message}`);
  return { clock, dropped, add, lines };
}

test("the first is logged at once, the others together a minute later, without another that is dropped", async () => {
  const { clock, add, lines } = setUp();
  add(5);
  expect(lines()).toEqual(["1: too many wait"]);
  await clock.advance(59_999);
  expect(lines()).toHaveLength(1);
  await clock.advance(1);
  expect(lines()).toEqual(["1: too many wait", "4: too many wait"]);
  expect(clock.waiting).toBe(0);
});

test("there is never more than one line a minute, and none without dropped events", async () => {
  const { clock, add, lines } = setUp();
  add(2);
  await clock.advance(60_000);
  add(3, "unreachable");
  expect(lines()).toHaveLength(2);
  await clock.advance(60_000);
  expect(lines()).toEqual(["1: too many wait", "1: too many wait", "3: unreachable"]);
  await clock.advance(600_000);
  expect(lines()).toHaveLength(3);
  add(1);
  expect(lines()).toHaveLength(4);
});

test("the rest is logged at the end", () => {
  const { clock, dropped, add, lines } = setUp();
  add(4);
  dropped.flush();
  expect(lines()).toEqual(["1: too many wait", "3: too many wait"]);
  expect(clock.waiting).toBe(0);
  dropped.flush();
  expect(lines()).toHaveLength(2);
});
