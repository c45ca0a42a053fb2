import { expect, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { Rounds } from "./rounds.ts";

const interval = 60_000;

/** Rounds, how those that ended went, and the failures that the log has at its usual level. */
function world() {
  const clock = new FakeClock();
  const log = recordingLogger();
  const ended: string[] = [];
  const metrics = {
    beginPass: () => ({ paused: () => {}, succeeded: () => void ended.push("succeeded"), failed: () => void ended.push("failed") }),
    checkFailed: () => {},
  };
  const logged = () => log.lines.filter(({ severity }) => severity === "error").map(({ fields }) => fields);
  return { rounds: new Rounds({ metrics, clock, log }, interval), clock, log, ended, logged };
}

test("a round succeeds when the driver has answered at all, or there is nothing to ask", () => {
  const { rounds, ended } = world();
  rounds.next();
  for (const error of [undefined, new Error("x")]) {
    rounds.asked();
    if (error) rounds.failed("pv-1", error);
    else rounds.answered();
  }
  rounds.next();
  rounds.asked();
  rounds.failed("pv-1", new Error("x"));
  rounds.next();
  expect(ended).toEqual(["succeeded", "succeeded", "failed"]);
});

test("a driver that does not answer in time has not answered, and its failure is told with the next round", () => {
  const { rounds, ended, logged } = world();
  rounds.asked();
  rounds.next();
  expect(ended).toEqual(["failed"]);
  rounds.failed("pv-1", new Error("DeadlineExceeded"));
  rounds.next();
  expect(ended).toEqual(["failed", "failed"]);
  expect(logged()).toEqual([{ PV: "pv-1", failed: 1, checked: 1 }]);
});

test("a round that takes much longer than the interval is told, once until one does not", async () => {
  const { rounds, clock, log } = world();
  for (const tookMs of [interval, 2 * interval, 2 * interval, interval, 2 * interval]) {
    await clock.advance(tookMs);
    rounds.next();
  }
  expect(log.lines.map(({ fields }) => fields)).toEqual(Array(2).fill({ tookMs: 2 * interval, intervalMs: interval }));
});
