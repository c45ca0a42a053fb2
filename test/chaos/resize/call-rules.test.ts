import { expect, test } from "bun:test";
import type { DriverCall } from "@csi-sidecars/testcluster";
import { checkCalls, type Recorded } from "./call-rules.ts";
import type { Reason } from "./history.ts";

const retry = { startMs: 100, maxMs: 10_000 };

interface Call {
  readonly at: number;
  readonly ms?: number;
  readonly code?: string;
  readonly size?: number;
  readonly caller?: string;
  readonly goneAt?: number;
}

/** Calls for one volume that fail, with the code Internal, or as told. */
function recorded(calls: readonly Call[], more: Partial<Recorded> = {}): Recorded {
  return {
    calls: calls.map(
      ({ at, ms = 10, code = "Internal", size = 1, caller = "first", goneAt }, order) =>
        ({
          ...{ order, method: "ControllerExpandVolume", caller, startedAt: at, endedAt: at + ms, clientGoneAt: goneAt },
          request: { volumeId: "volume-data", capacityRange: { requiredBytes: BigInt(size) } },
          outcome: code === "OK" ? { kind: "answered", response: {} } : { kind: "failed", code, message: "no" },
        }) as unknown as DriverCall,
    ),
    claimOf: (volume) => volume.replace("volume-", ""),
    ...{ retry, reasons: [], uses: [], outages: [] },
    ...more,
  };
}

const reason = (kind: Reason["kind"], at: number, claim = "data"): Reason => ({ kind, claim, from: at, to: at });
const problemsOf = (given: Recorded) => checkCalls(given).broken.map((text) => text.split("\n")[0]);

const overlap = "a call begins while an earlier one is waited for";

test.each<{ what: string; calls: readonly Call[]; problems?: readonly string[] }>([
  { what: "two calls at once", calls: [{ at: 0, ms: 500 }, { at: 300 }], problems: [overlap] },
  {
    what: "the calls of two processes",
    calls: [
      { at: 0, ms: 50 },
      { at: 40, caller: "second" },
    ],
  },
  { what: "a retry after the first delay", calls: [{ at: 0 }, { at: 110 }] },
  { what: "a retry before that", calls: [{ at: 0 }, { at: 90 }], problems: ["20 ms too early"] },
  { what: "a third call after the first delay again", calls: [{ at: 0 }, { at: 110 }, { at: 220 }], problems: ["100 ms too early"] },
  { what: "a third call after the second delay", calls: [{ at: 0 }, { at: 110 }, { at: 320 }] },
  { what: "what follows a success", calls: [{ at: 0 }, { at: 110, code: "OK" }, { at: 120 }, { at: 230 }] },
  { what: "a call that was given up when nobody knows", calls: [{ at: 0, ms: 500, goneAt: 90 }, { at: 100 }] },
  {
    what: "a refused size",
    calls: [{ at: 0, code: "OutOfRange" }, { at: 9_000 }],
    problems: ["refused for good, and sent again after 8990 ms"],
  },
  {
    what: "another size after a refused one",
    calls: [
      { at: 0, code: "OutOfRange" },
      { at: 20, size: 2 },
    ],
  },
  {
    what: "two sizes in turn",
    calls: [{ at: 0, code: "OutOfRange" }, { at: 20, size: 2 }, { at: 40 }],
    problems: ["90 ms too early"],
  },
  { what: "a refused size after the longest delay", calls: [{ at: 0, code: "OutOfRange" }, { at: 10_010 }] },
])("$what", ({ calls, problems = [] }) => {
  expect(problemsOf(recorded(calls))).toEqual([...problems]);
});

test("a reason allows a call at once, after which failures count from zero and earlier delays still end", () => {
  const calls = [{ at: 0 }, { at: 110 }, { at: 20_000 }, { at: 20_420 }, { at: 20_500 }, { at: 20_610 }, { at: 21_300 }];
  expect(problemsOf(recorded(calls))).toEqual(["730 ms too early", "620 ms too early"]);
  const reasons = [reason("size", 20_450)];
  expect(problemsOf(recorded(calls, { reasons }))).toEqual([]);
  expect(problemsOf(recorded(calls, { reasons: [reason("size", 20_450, "other"), reason("class", 20_450)] }))).toHaveLength(2);
});

test("a reason counts until the process has seen it, which an outage delays", () => {
  const calls = [{ at: 10_000 }, { at: 10_050 }];
  expect(problemsOf(recorded(calls, { reasons: [reason("size", 8_500)] }))).toEqual([]);
  expect(problemsOf(recorded(calls, { reasons: [reason("size", 7_500)] }))).toHaveLength(1);
  expect(problemsOf(recorded(calls, { reasons: [reason("size", 7_500)], outages: [{ from: 8_000, to: 9_000 }] }))).toEqual([]);
});

test("a refused size is not sent again because of a pod or kubelet, but because of a user", () => {
  const calls = [{ at: 0, code: "OutOfRange" }, { at: 500 }];
  for (const kind of ["pod", "kubelet"] as const) expect(problemsOf(recorded(calls, { reasons: [reason(kind, 400)] }))).toHaveLength(1);
  for (const kind of ["size", "recreated"] as const) expect(problemsOf(recorded(calls, { reasons: [reason(kind, 400)] }))).toEqual([]);
});

test("a volume in use waits for the end of its pod", () => {
  const calls = [{ at: 10_000, code: "FailedPrecondition" }, { at: 13_000 }];
  const use = (from: number, to: number) => [{ claim: "data", from, to }];
  expect(problemsOf(recorded(calls, { uses: use(5_000, 20_000) }))).toEqual(["in use, and sent again"]);
  expect(problemsOf(recorded(calls, { uses: use(5_000, 12_000) }))).toEqual([]);
  expect(problemsOf(recorded(calls, { uses: use(12_000, 20_000) }))).toEqual([]);
});

test("what may be in progress is ended first, also by the next process", () => {
  const another = "another target than the one that may be in progress";
  const calls = [
    { at: 0, code: "DeadlineExceeded" },
    { at: 500, size: 2 },
  ];
  expect(problemsOf(recorded(calls))).toEqual([another]);
  expect(problemsOf(recorded([calls[0]!, { at: 500, size: 2, caller: "second" }]))).toEqual([another]);
  expect(problemsOf(recorded([calls[0]!, { at: 200 }, calls[1]!]))).toEqual([]);
  expect(problemsOf(recorded(calls, { reasons: [reason("recreated", 400)] }))).toEqual([]);
  expect(problemsOf(recorded([{ at: -20_000, code: "OutOfRange" }, ...calls]))).toEqual([]);
});
