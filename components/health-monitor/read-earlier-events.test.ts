import { expect, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { readEarlierEvents } from "./read-earlier-events.ts";

/** A read that fails so many times, and what has happened so far. */
function world(failures: number) {
  const clock = new FakeClock();
  const log = recordingLogger();
  const stop = new AbortController();
  const state = { reads: 0, tried: false, done: false };
  const read = async () => {
    if (++state.reads <= failures) throw new Error("not now");
  };
  const { tried, done } = readEarlierEvents(read, { clock, log, signal: stop.signal, failure: "Could not read" });
  void tried.then(() => {
    state.tried = true;
  });
  void done.then(() => {
    state.done = true;
  });
  return { clock, log, stop, state };
}

test("who waits for the first try does not wait for the others", async () => {
  const { clock, log, state } = world(3);
  await clock.advance(0);
  expect(state).toEqual({ reads: 1, tried: true, done: false });
  for (const [delay, reads] of [
    [1_100, 2],
    [2_200, 3],
    [4_400, 4],
  ] as const) {
    await clock.advance(delay);
    expect(state.reads).toBe(reads);
  }
  expect([state.done, clock.waiting]).toEqual([true, 0]);
  expect(log.lines.map(({ message, error }) => `${message}: ${error}`)).toEqual(Array(3).fill("Could not read: Error: not now"));
});

test("a first try that succeeds is all", async () => {
  const { clock, log, state } = world(0);
  await clock.advance(0);
  expect([state, clock.waiting, log.lines]).toEqual([{ reads: 1, tried: true, done: true }, 0, []]);
});

test("a stop ends it between two tries, and leaves no timer", async () => {
  const { clock, stop, state } = world(Number.POSITIVE_INFINITY);
  await clock.advance(0);
  stop.abort(new Error("stopped"));
  await clock.advance(0);
  expect([state, clock.waiting]).toEqual([{ reads: 1, tried: true, done: true }, 0]);
});
