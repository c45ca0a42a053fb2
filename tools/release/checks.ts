import { join } from "node:path";
import { components } from "../../cmd/csi-sidecars/components.ts";
import { git } from "../git.ts";
import { readRecords, withoutRecord } from "../parity/records.ts";
import { review, staleness } from "../parity/review.ts";
import { bothSnapshots, type Candidate, currentFile, reviewedChanges } from "./candidate.ts";
import { withoutNote } from "./commits.ts";
import { lateNotesFile } from "./late-notes.ts";
import { notReviewed, snapshotChanges } from "./snapshot-changes.ts";
import { flagsFile, rbacFile, reviewedFile, staleSnapshots } from "./snapshots.ts";
import { unreleasedTexts } from "./unreleased.ts";
import { firstVersion, otherVersions, versionProblem } from "./version.ts";

/** A condition of a release: what keeps it from being met, if anything. */
export interface Check {
  readonly name: string;
  /** A dry run only says what a release would find. */
  readonly skippedInDryRun?: true;
  problems(candidate: Candidate): readonly string[];
}

export const checks: readonly Check[] = [
  { name: "clean tree", skippedInDryRun: true, problems: uncommitted },
  { name: "whole history", skippedInDryRun: true, problems: history },
  { name: "one new version", problems: versions },
  { name: "release notes", problems: notes },
  { name: "snapshots", problems: snapshots },
  { name: "flags", problems: flags },
  { name: "permissions", problems: permissions },
  { name: "parity", problems: parity },
  { name: "recent parity", skippedInDryRun: true, problems: recentParity },
];

function uncommitted({ root }: Candidate): readonly string[] {
  return git(root, "status", "--porcelain")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `not committed: ${line.slice(3)}`);
}

/** Without the tag of the release before there is nothing to compare with, and most checks would pass. */
function history({ root, previous, version }: Candidate): readonly string[] {
  if (git(root, "rev-parse", "--is-shallow-repository").trim() === "true") return ["a shallow clone: git fetch --unshallow --tags"];
  return previous === undefined && version !== firstVersion ? [`no tag of a release before v${version}: git fetch --tags`] : [];
}

function versions({ root, version, previous }: Candidate): readonly string[] {
  const problem = versionProblem(root, version, previous);
  return [...(problem === undefined ? [] : [problem]), ...otherVersions(root, version)];
}

function notes(candidate: Candidate): readonly string[] {
  if (candidate.previous === undefined) {
    return unreleasedTexts(currentFile(candidate, "CHANGELOG.md")).size > 0 ? [] : ["the part Unreleased of CHANGELOG.md says nothing"];
  }
  return withoutNote(candidate.commits).map(
    ({ id, subject }) => `${id.slice(0, 10)} (${subject}) has no Release-note: write one, or NONE, under its commit in ${lateNotesFile}`,
  );
}

function snapshots(candidate: Candidate): readonly string[] {
  return staleSnapshots(candidate.root, candidate.snapshots).map((file) => `${file} is not what the programs are: npm run generate:docs`);
}

/** A flag that is gone or means something else may break a command line; a new one may not. */
function flags(candidate: Candidate): readonly string[] {
  const both = bothSnapshots(candidate, flagsFile);
  if (!both) return [];
  const { removed, changed } = snapshotChanges(both.before, both.after);
  return unreviewed(candidate, [...removed, ...changed]);
}

/** What the programs may do more than before has to be granted by every user. */
function permissions(candidate: Candidate): readonly string[] {
  const both = bothSnapshots(candidate, rbacFile);
  if (!both) return [];
  const { added, changed } = snapshotChanges(both.before, both.after);
  return unreviewed(candidate, [...added, ...changed]);
}

function unreviewed({ root, version }: Candidate, changes: readonly string[]): readonly string[] {
  return notReviewed(changes, reviewedChanges(root), version).map(
    (change) => `${change} is not reviewed: say why in ${reviewedFile}, under ${version}`,
  );
}

function parity({ root, today }: Candidate): readonly string[] {
  const records = readRecords(join(root, "parity"));
  const names = components.map(({ name }) => name);
  return [
    ...withoutRecord(names, records).map((name) => `parity/${name}.json is missing`),
    ...records.flatMap((record) => review(record, undefined, today).failures.map((failure) => `${record.controller}: ${failure}`)),
  ];
}

function recentParity({ root, today }: Candidate): readonly string[] {
  return readRecords(join(root, "parity")).flatMap((record) => {
    const problem = staleness(record, today);
    return problem === undefined ? [] : [`${record.controller}: ${problem}`];
  });
}
