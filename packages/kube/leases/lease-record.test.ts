import { describe, expect, test } from "bun:test";
import { defaultElectionTiming, electionNames, sanitizeName, timingProblem } from "./leader-elector-options.ts";
import {
  claimedRecord,
  isValid,
  type LeaseRecord,
  microTime,
  observe,
  recordOf,
  releasedRecord,
  sameRecord,
  withRecord,
} from "./lease-record.ts";

const record = (change: Partial<LeaseRecord> = {}): LeaseRecord => ({
  holderIdentity: "a",
  leaseDurationSeconds: 15,
  acquireTime: "2026-01-01T00:00:00.000000Z",
  renewTime: "2026-01-01T00:01:00.250000Z",
  leaseTransitions: 3,
  ...change,
});
const now = Date.UTC(2026, 0, 1, 0, 2, 0, 123);
const me = { identity: "a", leaseDurationSeconds: 20 };

test("micro time has six digits", () => {
  expect(microTime(now)).toBe("2026-01-01T00:02:00.123000Z");
});

describe("what counts as a change", () => {
  const cases: [string, Partial<LeaseRecord>, boolean][] = [
    ["nothing", {}, true],
    ["renewed within the same second", { renewTime: "2026-01-01T00:01:00.990000Z" }, false],
    ["renewed a second later", { renewTime: "2026-01-01T00:01:01.250000Z" }, false],
    ["another holder", { holderIdentity: "b" }, false],
    ["another duration", { leaseDurationSeconds: 16 }, false],
    ["more transitions", { leaseTransitions: 4 }, false],
    ["no times at all", { renewTime: undefined }, false],
  ];
  test.each(cases)("%s", (_, change, same) => {
    expect(sameRecord(record(), record(change))).toBe(same);
    const before = { record: record(), at: 1_000 };
    expect(observe(before, record(change), 9_000).at).toBe(same ? 1_000 : 9_000);
  });
});

describe("validity", () => {
  const cases: [string, Partial<LeaseRecord>, number, boolean][] = [
    ["just before the holder's duration is over", {}, 15_999, true],
    ["when it is over", {}, 16_000, false],
    ["the holder's duration counts, not ours", { leaseDurationSeconds: 60 }, 16_000, true],
    ["a time in the future is no help", { renewTime: "2036-01-01T00:00:00.000000Z" }, 16_000, false],
    ["released", { holderIdentity: "" }, 1_001, false],
  ];
  test.each(cases)("%s", (_, change, at, valid) => {
    expect(isValid({ record: record(change), at: 1_000 }, at)).toBe(valid);
  });
});

describe("what we write", () => {
  const fresh = { holderIdentity: "a", leaseDurationSeconds: 20, acquireTime: microTime(now), renewTime: microTime(now) };
  test("first ever", () => {
    expect(claimedRecord(me, undefined, now)).toEqual({ ...fresh, leaseTransitions: 0 });
  });
  test("keeping ours", () => {
    expect(claimedRecord(me, record(), now)).toEqual({ ...fresh, acquireTime: record().acquireTime, leaseTransitions: 3 });
  });
  test("taking over, also after a release", () => {
    expect(claimedRecord(me, record({ holderIdentity: "b" }), now)).toEqual({ ...fresh, leaseTransitions: 4 });
    expect(claimedRecord(me, record({ holderIdentity: "" }), now)).toEqual({ ...fresh, leaseTransitions: 4 });
  });
  test("releasing", () => {
    expect(releasedRecord(record(), now)).toEqual({ ...fresh, holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 3 });
  });
  test("others' labels and annotations stay, ours are added, other strategies' fields go", () => {
    const lease = {
      metadata: { name: "l", resourceVersion: "5", labels: { theirs: "1", ours: "old" }, annotations: { note: "x" } },
      spec: { holderIdentity: "a", strategy: "OldestEmulationVersion", preferredHolder: "b" },
    };
    const written = withRecord(lease, record(), { labels: { ours: "new" }, annotations: { mark: "y" } });
    expect(written).toEqual({
      metadata: { name: "l", resourceVersion: "5", labels: { theirs: "1", ours: "new" }, annotations: { note: "x", mark: "y" } },
      spec: record(),
    });
    expect(recordOf(written)).toEqual(record());
  });
  test("an empty Lease reads as free", () => {
    expect(recordOf({ metadata: { name: "l" } })).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 0, leaseTransitions: 0 });
  });
});

describe("names", () => {
  const cases: [string, string][] = [
    ["external-attacher-leader-ebs.csi.aws.com", "external-attacher-leader-ebs-csi-aws-com"],
    ["Driver_with/odd.chars", "Driver-with-odd-chars"],
    ["ends.with.", "ends-with-X"],
  ];
  test.each(cases)("%s becomes %s", (name, sanitized) => {
    expect(sanitizeName(name)).toBe(sanitized);
  });
  test("of an election", () => {
    expect(electionNames("external-resizer-a.b", "host.example")).toEqual({
      leaseName: "external-resizer-a-b",
      identity: "host-example",
      eventSource: "external-resizer-a.b/host.example",
    });
  });
});

describe("durations", () => {
  const acts = "a leader acts until one second before its lease expires";
  const cases: [number, number, number, string | undefined][] = [
    [15, 10, 5, undefined],
    [10, 10, 5, "leaseDuration must be greater than renewDeadline"],
    [15, 6, 5, "renewDeadline must be greater than retryPeriod*JitterFactor"],
    [15, 6.001, 5, undefined],
    [0, -1, -2, "leaseDuration must be greater than zero"],
    [15, 10, 0, "retryPeriod must be greater than zero"],
    [1.9, 1.5, 0.5, `leaseDuration must be at least 2s: ${acts}`],
    [2, 1.5, 0.5, undefined],
    [2.9, 2.5, 1, `leaseDuration in whole seconds must be greater than retryPeriod + 1s: ${acts}`],
    [3, 2.5, 1.9, undefined],
  ];
  test.each(cases)("lease %p s, renew %p s, retry %p s: %p", (lease, renew, retry, problem) => {
    expect(timingProblem({ leaseDurationMs: lease * 1000, renewDeadlineMs: renew * 1000, retryPeriodMs: retry * 1000 })).toBe(problem);
  });
  test("defaults work", () => {
    expect(timingProblem(defaultElectionTiming)).toBeUndefined();
  });
});
