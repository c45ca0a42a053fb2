import { describe, expect, test } from "bun:test";
import { parseRecord } from "./parity-record.ts";

const id = (digit: string) => digit.repeat(40);
const change = { commit: id("b"), date: "2026-02-01", pull: 7, about: "Waits less", verdict: "pending", reason: "to be looked at" };
const record = {
  controller: "attacher",
  repository: "kubernetes-csi/external-attacher",
  branch: "master",
  tag: "v4.12.0",
  commit: id("a"),
  reviewed: { commit: id("b"), date: "2026-02-01", asOf: "2026-02-03" },
  later: [change],
};
const parse = (value: unknown) => parseRecord(JSON.stringify(value), "parity/attacher.json");

test("a record is what its file says", () => {
  expect(parse(record) as unknown).toEqual(record);
  const more = { ...record, paths: ["pkg/"], later: [{ ...change, security: true, verdict: "ported", reason: "v0.2.0" }] };
  expect(parse(more) as unknown).toEqual(more);
});

describe("refused, with file and field, is a record", () => {
  const { tag: _, ...untagged } = record;
  test.each([
    ["without a field", untagged, "parity/attacher.json has no tag"],
    ["with an unknown field", { ...record, tags: [] }, "parity/attacher.json has the unknown tags"],
    ["with a short commit", { ...record, commit: "abc" }, 'parity/attacher.json: commit is "abc", not of the form ^[0-9a-f]{40}$'],
    ["with a tag of another form", { ...record, tag: "latest" }, "parity/attacher.json: tag is"],
    [
      "with a date of another form",
      { ...record, reviewed: { ...record.reviewed, date: "today" } },
      "parity/attacher.json: reviewed.date is",
    ],
    [
      "that does not say when",
      { ...record, reviewed: { commit: id("b"), date: "2026-02-01" } },
      "parity/attacher.json: reviewed has no asOf",
    ],
    ["with no paths", { ...record, paths: [] }, "parity/attacher.json: paths is no list"],
    ["with an unknown verdict", { ...record, later: [{ ...change, verdict: "fine" }] }, 'later[0]: verdict is "fine", not one of ported,'],
    ["with a verdict without a reason", { ...record, later: [{ ...change, reason: " " }] }, "later[0]: reason is"],
    ["with something ported by nothing", { ...record, later: [{ ...change, verdict: "ported", reason: "yes" }] }, "later[0]: reason is"],
    ["with a change twice", { ...record, later: [change, change] }, `later has ${id("b")} twice`],
    ["with a pull request that is no number", { ...record, later: [{ ...change, pull: "7" }] }, "later[0]: pull is no number"],
    ["that is a list", [], "parity/attacher.json is no object"],
  ])("%s", (_, value, problem) => {
    expect(() => parse(value)).toThrow(problem);
  });

  test("that is no JSON", () => {
    expect(() => parseRecord("{", "parity/attacher.json")).toThrow("parity/attacher.json is no JSON");
  });
});
