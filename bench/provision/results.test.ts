import { expect, test } from "bun:test";
import { isMet } from "../shared/result.ts";
import { type Measured, resultsOf } from "./results.ts";

const sizes = { claims: 1_000, limitedClaims: 100, present: 20_000, more: 500, quietSeconds: 60 };
const operation = { perSecond: 200, cpuMs: 2, requests: 1, events: 2, csiCalls: 1, refused: new Map(), requestCounts: new Map() };
const cost = {
  ...{ create: operation, delete: operation },
  ...{ idleRss: 100e6, fullRss: 120e6, endRss: 120e6, quietRss: 110e6, peakRss: 155e6 },
};
const nothing: Measured = { subject: "ours", ours: true, unlimited: [], limited: [], alone: [], crowded: [] };
const rows = (measured: Partial<Measured>) => resultsOf({ ...nothing, ...measured }, undefined, sizes);

/** The rows whose budget is missed. */
const missed = (measured: Partial<Measured>) =>
  rows(measured)
    .filter((result) => isMet(result) === false)
    .map(({ what }) => what);

test("beside many volumes, memory has a budget for its peak and after a pause", () => {
  expect(missed({ alone: [cost], crowded: [cost] })).toEqual([]);
  expect(missed({ alone: [cost], crowded: [{ ...cost, peakRss: 161e6, quietRss: 116e6 }] })).toEqual([
    "RSS, peak, 20,000 volumes",
    "RSS, 60 s after the end, 20,000 volumes",
  ]);
});

test("memory after a pause is left out where there was none", () => {
  const withoutPause = { ...cost, quietRss: undefined };
  const afterPause = rows({ unlimited: [withoutPause], crowded: [withoutPause] }).filter(({ what }) => what.includes("after the end"));
  expect(afterPause).toEqual([]);
});

test("an operation may cost a fifth more beside many volumes", () => {
  const dearer = (factor: number) => ({ ...cost, create: { ...operation, cpuMs: operation.cpuMs * factor } });
  expect(missed({ alone: [cost], crowded: [dearer(1.19)] })).toEqual([]);
  expect(missed({ alone: [cost], crowded: [dearer(1.21)] })).toEqual(["create 500 at 20,000: CPU"]);
});
