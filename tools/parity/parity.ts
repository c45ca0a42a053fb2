// `npm run parity`: what of upstream's later changes waits, by the records in parity/; exits with 1 for a pending fix older than 30 days, any
// pending vulnerability, or a controller without a record.
// `npm run parity -- --clones <folder>`: also what clones of upstream's repositories have and the records do not.
// `npm run parity -- --write`: writes docs/parity.md.
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "@csi-sidecars/base";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { UserError } from "../../cmd/playground/user-error.ts";
import { commitOf } from "../git.ts";
import { parityPage } from "./parity-page.ts";
import type { ParityRecord } from "./parity-record.ts";
import { cloneNames, readRecords, withoutRecord } from "./records.ts";
import { reportLines } from "./report.ts";
import { review } from "./review.ts";
import { branchOf, type UpstreamChange, upstreamChanges } from "./upstream-changes.ts";

const root = join(import.meta.dirname, "../..");

function run(argv: readonly string[]): number {
  const { clones, write } = readOptions(argv);
  const records = readRecords(join(root, "parity"));
  if (write) writeFileSync(join(root, "docs/parity.md"), parityPage(records));
  const today = new Date().toISOString().slice(0, 10);
  const reviews = records.map((record) => review(record, clones === undefined ? undefined : changesIn(resolve(clones), record), today));
  for (const one of reviews) console.log(reportLines(one).join("\n"));
  const missing = withoutRecord(
    components.map(({ name }) => name),
    records,
  );
  for (const name of missing) console.log(`${name}: FAIL parity/${name}.json is missing`);
  return missing.length > 0 || reviews.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

/** The changes in the clone of a record's repository. */
function changesIn(folder: string, record: ParityRecord): readonly UpstreamChange[] {
  const { repository, branch, tag, commit } = record;
  const clone = cloneNames(repository)
    .map((name) => join(folder, name))
    .find((path) => existsSync(path));
  if (!clone) throw new UserError(`${folder} has no clone of ${repository}: git clone https://github.com/${repository} there`);
  const tip = branchOf(clone, branch);
  if (!tip) throw new UserError(`${clone} has no branch ${branch}`);
  if (commitOf(clone, commit) === undefined) throw new UserError(`${clone} has no commit ${commit} (${tag}): git fetch --tags there`);
  const tagged = commitOf(clone, `refs/tags/${tag}`);
  if (tagged !== undefined && tagged !== commit)
    throw new UserError(`parity/${record.controller}.json: ${tag} is ${tagged}, not ${commit}`);
  return upstreamChanges(clone, tip, record);
}

function readOptions(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: { clones: { type: "string" }, write: { type: "boolean" } } }).values;
  } catch (error) {
    throw new UserError(messageOf(error), 2);
  }
}

try {
  process.exitCode = run(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(`parity: ${error.message}`);
  process.exitCode = error.exitCode;
}
