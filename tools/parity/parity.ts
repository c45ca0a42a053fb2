import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { UserError } from "../../cmd/playground/user-error.ts";
import { commitOf } from "../git.ts";
import { readArguments, runCommand } from "../run-command.ts";
import { parityPage } from "./parity-page.ts";
import type { ParityRecord } from "./parity-record.ts";
import { cloneNames, readRecords, withoutRecord } from "./records.ts";
import { reportLines } from "./report.ts";
import { type Review, review } from "./review.ts";
import { branchOf, type UpstreamChange, upstreamChanges } from "./upstream-changes.ts";

const root = join(import.meta.dirname, "../..");

const help = `npm run parity -- [options]: what of upstream's later changes waits, by the records in parity/.

  --clones <folder>  also what clones of upstream's repositories in this folder have and the records do not
  --write            writes docs/parity.md

Exit code 1: a fix has waited for more than 30 days, a vulnerability is pending, or a controller has no record or clone.
`;

function run(argv: readonly string[]): number {
  const options = { clones: { type: "string" }, write: { type: "boolean" } } as const;
  const { clones, write } = readArguments(() => parseArgs({ args: [...argv], options })).values;
  const records = readRecords(join(root, "parity"));
  if (write) writeFileSync(join(root, "docs/parity.md"), parityPage(records));
  const today = new Date().toISOString().slice(0, 10);
  const reviews = records.map((record) => reviewWith(clones, record, today));
  for (const one of reviews) console.log(reportLines(one).join("\n"));
  const missing = withoutRecord(
    components.map(({ name }) => name),
    records,
  );
  for (const name of missing) console.log(`${name}: FAIL parity/${name}.json is missing`);
  return missing.length > 0 || reviews.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

/** A clone that cannot be read is a failure of its record: the others are reviewed all the same. */
function reviewWith(clones: string | undefined, record: ParityRecord, today: string): Review {
  try {
    return review(record, clones === undefined ? undefined : changesIn(resolve(clones), record), today);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const known = review(record, undefined, today);
    return { ...known, failures: [...known.failures, error.message] };
  }
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

await runCommand("parity", help, run);
