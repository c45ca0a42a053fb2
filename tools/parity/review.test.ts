import { describe, expect, test } from "bun:test";
import type { ParityRecord, ReviewedChange } from "./parity-record.ts";
import { reportLines } from "./report.ts";
import { review, staleness } from "./review.ts";
import type { UpstreamChange } from "./upstream-changes.ts";

const today = "2026-03-31";
const id = (digit: string) => digit.repeat(40);
const upstream: UpstreamChange = { commit: id("b"), date: "2026-03-01", pull: 7, title: "Wait less", security: false };
const verdict: ReviewedChange = { commit: id("b"), date: "2026-03-01", pull: 7, about: "Waits less", verdict: "pending", reason: "soon" };
const record = (...later: ReviewedChange[]): ParityRecord => ({
  controller: "attacher",
  repository: "o/r",
  branch: "master",
  tag: "v1.0.0",
  commit: id("a"),
  reviewed: { commit: id("b"), date: "2026-03-01", asOf: "2026-03-01" },
  later,
});
const failures = (later: ReviewedChange[], changes?: UpstreamChange[]) => review(record(...later), changes, today).failures;
const older = { date: "2026-02-28" };

describe("the check", () => {
  test.each([
    ["passes with a fix that has waited for 30 days", failures([verdict]), []],
    [
      "fails with a fix that has waited for longer",
      failures([{ ...verdict, ...older }]),
      ["bbbbbbbbbb (Waits less) is pending since 31 days, more than 30"],
    ],
    [
      "fails with a vulnerability that waits, however short",
      failures([{ ...verdict, date: today, security: true }]),
      ["bbbbbbbbbb (Waits less) is about a vulnerability and pending"],
    ],
    [
      "fails with what waits, once upstream says that it is about a vulnerability",
      failures([{ ...verdict, date: today }], [{ ...upstream, security: true }]),
      ["bbbbbbbbbb (Waits less) is about a vulnerability and pending"],
    ],
    ["passes with everything decided", failures([{ ...verdict, ...older, security: true, verdict: "not applicable" }]), []],
    ["passes with a new change that nobody has looked at", failures([], [upstream]), []],
    [
      "fails with one that nobody has looked at for long",
      failures([], [{ ...upstream, ...older }]),
      ["bbbbbbbbbb (Wait less) is unreviewed since 31 days, more than 30"],
    ],
    [
      "fails with a vulnerability that nobody has looked at",
      failures([], [{ ...upstream, security: true }]),
      ["bbbbbbbbbb (Wait less) is about a vulnerability and unreviewed"],
    ],
    ["lets features wait", failures([], [{ ...upstream, ...older, entry: { kind: "Feature", text: "Waits less" } }]), []],
    [
      "fails with a verdict on what upstream does not have",
      failures([{ ...verdict, commit: id("c"), verdict: "not applicable" }], []),
      ["cccccccccc has a verdict, but is no change of its own after v1.0.0"],
    ],
  ])("%s", (_, found, expected) => {
    expect(found).toEqual(expected);
  });
});

test("a record is too old after 90 days, however quiet upstream was", () => {
  expect(staleness(record(), "2026-05-30")).toBeUndefined();
  expect(staleness(record(), "2026-05-31")).toBe("reviewed as of 2026-03-01, 91 days ago, more than 90: npm run parity -- --clones");
});

test("the report groups what waits by changelog entry", () => {
  const entry = { kind: "Bug or Regression", text: "Waits less" };
  const changes = [
    { ...upstream, entry },
    { ...upstream, commit: id("d"), pull: 8, security: true, entry },
    { ...upstream, commit: id("e"), pull: undefined, title: "Log more" },
  ];
  expect(reportLines(review(record(verdict), changes, today))).toEqual([
    "attacher: 3 waiting",
    "  Bug or Regression: Waits less",
    "    bbbbbbbbbb  2026-03-01  #7  pending  30 days",
    "    dddddddddd  2026-03-01  #8  unreviewed  30 days  vulnerability",
    "  not in the changelog: Log more",
    "    eeeeeeeeee  2026-03-01  unreviewed  30 days",
    "  FAIL dddddddddd (Wait less) is about a vulnerability and unreviewed",
  ]);
  expect(reportLines(review(record(), [], today))).toEqual(["attacher: nothing waits"]);
});
