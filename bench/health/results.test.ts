import { expect, test } from "bun:test";
import { isMet } from "../shared/result.ts";
import { everythingResults, type Measured, resultsOf } from "./results.ts";

const sizes = { present: 20_000, lists: 10, abnormal: 100, intervalSeconds: 20, nodes: 100, claims: 1_000 };
const list = {
  ...{ firstListMs: 3_000, callsPerList: 20, cpuMsPerList: 50, requestsPerList: 0 },
  ...{ earlyBytes: 100e6, lateBytes: 104e6, peakBytes: 120e6 },
};
const nothing: Measured = { subject: "ours", ours: true, empty: [], present: [], lists: [], reports: [], single: [], storm: [] };

/** The rows whose budget is missed. */
const missed = (measured: Partial<Measured>, peer?: Partial<Measured>) =>
  resultsOf({ ...nothing, ...measured }, peer && { ...nothing, ours: false, ...peer }, sizes)
    .filter((result) => isMet(result) === false)
    .map(({ what }) => what);

test("memory may not grow from list to list, and CPU is compared with upstream's", () => {
  expect(missed({ lists: [list] })).toEqual([]);
  expect(missed({ lists: [{ ...list, lateBytes: 106e6, callsPerList: 21 }] })).toEqual([
    "list of 20,000: calls",
    "list of 20,000: RSS, after 10",
  ]);
  expect(missed({ lists: [list] }, { lists: [{ ...list, cpuMsPerList: 40 }] })).toEqual(["list of 20,000: CPU"]);
});

test("each volume is asked for once within an interval, and each claim gets one event", () => {
  const window = { cpuMs: 1, requests: 0, events: 100, refused: 0, lastEventMs: 5_000 };
  const single = { calls: 20_000, volumes: 20_000, mostAtOnce: 10, cpuMs: 1, requests: 0, bytes: 1 };
  expect(missed({ reports: [{ abnormal: window, recovery: window }], single: [single], storm: [{ ...window, events: 1_000 }] })).toEqual(
    [],
  );
  const repeated = { ...window, events: 101 };
  const rare = { ...single, volumes: 30, mostAtOnce: 11 };
  expect(missed({ reports: [{ abnormal: window, recovery: repeated }], single: [rare], storm: [{ ...window, events: 1_001 }] })).toEqual([
    "100 are well again for 20 s: events",
    "one by one, 20,000, 20 s: volumes",
    "one by one, 20,000, 20 s: calls at the same time",
    "100 nodes with 1,000 claims deleted: events",
  ]);
});

test("a process with all components has budgets of its own", () => {
  const idle = {
    rss: 66e6,
    peak: 140e6,
    anonymous: 1,
    cpuSeconds: 1,
    idleCpuSecondsPerMinute: 0,
    idleRequestsPerMinute: 12,
    firstListMs: 1,
  };
  const results = everythingResults({ subject: "all", empty: [idle], present: [{ ...idle, rss: 129e6 }], lists: [list] }, sizes);
  expect(results.map((result) => `${result.what}: ${isMet(result)}`)).toEqual([
    "all components: RSS, idle, empty cluster: false",
    "all components: RSS, 20,000 volumes: true",
    "all components: RSS, peak, 20,000 volumes: undefined",
    "all components: RSS, after 10 lists of 20,000: true",
  ]);
});
