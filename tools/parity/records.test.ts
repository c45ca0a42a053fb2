import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { commitOf, git } from "../git.ts";
import { parityPage } from "./parity-page.ts";
import { readRecords, withoutRecord } from "./records.ts";
import { review } from "./review.ts";

const root = join(import.meta.dirname, "../..");
const records = readRecords(join(root, "parity"));
const names = components.map(({ name }) => name);

test("every controller and program has a record, and each of them is needed", () => {
  expect(withoutRecord(names, records)).toEqual([]);
  expect(withoutRecord(names, records.slice(1))).toEqual(["attacher"]);
  expect(withoutRecord([], [])).toEqual(["snapshot-controller", "snapshot-webhook", "csi-proxy"]);
});

test("docs/parity.md is what the records say", () => {
  expect(readFileSync(join(root, "docs/parity.md"), "utf8")).toBe(parityPage(records));
});

test("no vulnerability waits", () => {
  const days = records.flatMap(({ reviewed }) => reviewed.date);
  const today = days.toSorted().at(-1) ?? "";
  expect(records.flatMap((record) => review(record, undefined, today).failures)).toEqual([]);
});

// In a shallow clone, and outside of git, there is nothing to look for.
test.skipIf(!isWholeClone())("what is ported names a commit of ours", () => {
  const ported = records.flatMap(({ later }) => later.filter(({ verdict }) => verdict === "ported"));
  const ours = ported.map(({ reason }) => /^[0-9a-f]+/.exec(reason)?.[0] ?? "");
  expect(ours.length).toBeGreaterThan(0);
  expect(ours.filter((commit) => commitOf(root, commit) === undefined)).toEqual([]);
});

test("a file is named after its controller", () => {
  const folder = mkdtempSync(join(tmpdir(), "records-"));
  try {
    mkdirSync(join(folder, "parity"));
    writeFileSync(join(folder, "parity/other.json"), readFileSync(join(root, "parity/attacher.json")));
    expect(() => readRecords(join(folder, "parity"))).toThrow("parity/other.json is about attacher: name it attacher.json");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function isWholeClone(): boolean {
  return commitOf(root, "HEAD") !== undefined && git(root, "rev-parse", "--is-shallow-repository").trim() === "false";
}
