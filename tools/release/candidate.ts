import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@csi-sidecars/base";
import { UserError } from "../../cmd/playground/user-error.ts";
import { commitOf, git } from "../git.ts";
import { commitsSince, type ReleaseCommit } from "./commits.ts";
import type { Snapshot } from "./flags-snapshot.ts";
import { readLateNotes, withLateNotes } from "./late-notes.ts";
import type { Reviewed } from "./snapshot-changes.ts";
import { reviewedFile, type Snapshots } from "./snapshots.ts";
import { previousTag, releaseVersion } from "./version.ts";

/** What is about to be released, beside the release before. */
export interface Candidate {
  readonly root: string;
  readonly version: string;
  readonly tag: string;
  readonly commit: string;
  /** The tag of the release before; absent for the first one. */
  readonly previous?: string;
  /** Since then; empty for the first release. */
  readonly commits: readonly ReleaseCommit[];
  /** Flags and permissions as the programs have them, by the file that has to say so. */
  readonly snapshots: Snapshots;
  readonly today: string;
}

export function readCandidate(root: string, { snapshots, today }: Pick<Candidate, "snapshots" | "today">): Candidate {
  const commit = commitOf(root, "HEAD");
  if (!commit) throw new UserError(`${root} is no git repository with a commit`);
  const version = releaseVersion(root);
  const previous = previousTag(root, commit);
  const commits = previous === undefined ? [] : withLateNotes(commitsSince(root, previous, commit), readLateNotes(root));
  return { root, version, tag: `v${version}`, commit, commits, snapshots, today, ...(previous !== undefined && { previous }) };
}

/** A file of the release before, or `undefined` where it had none. */
export function previousFile({ root, previous }: Candidate, file: string): string | undefined {
  if (previous === undefined || git(root, "ls-tree", "--name-only", previous, file).trim() === "") return undefined;
  return git(root, "show", `${previous}:${file}`);
}

export const currentFile = ({ root }: Candidate, file: string): string => readFileSync(join(root, file), "utf8");

/** Both snapshots of a file, where there is one to compare with. */
export function bothSnapshots(candidate: Candidate, file: string): { readonly before: Snapshot; readonly after: Snapshot } | undefined {
  const before = previousFile(candidate, file);
  return before === undefined ? undefined : { before: JSON.parse(before), after: JSON.parse(currentFile(candidate, file)) };
}

/** The changes that somebody reviewed; none where there is no such file. */
export function reviewedChanges(root: string): Reviewed {
  if (!existsSync(join(root, reviewedFile))) return {};
  const reviewed: unknown = JSON.parse(readFileSync(join(root, reviewedFile), "utf8"));
  const isReviewed = (value: unknown): value is Reviewed =>
    isRecord(value) &&
    Object.values(value).every((changes) => isRecord(changes) && Object.values(changes).every((why) => typeof why === "string"));
  if (!isReviewed(reviewed)) throw new UserError(`${reviewedFile} is not of the form {"<version>": {"<change>": "<why it is right>"}}`);
  return reviewed;
}
