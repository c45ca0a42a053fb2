import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@csi-sidecars/base";
import { UserError } from "../../cmd/playground/user-error.ts";
import type { ReleaseCommit } from "./commits.ts";

/** Notes of commits that landed without one: their messages can no longer be changed. */
export const lateNotesFile = "release/late-notes.json";

export type LateNotes = Readonly<Record<string, string>>;

export function readLateNotes(root: string): LateNotes {
  if (!existsSync(join(root, lateNotesFile))) return {};
  const notes: unknown = JSON.parse(readFileSync(join(root, lateNotesFile), "utf8"));
  const isNotes = (value: unknown): value is LateNotes =>
    isRecord(value) && Object.entries(value).every(([commit, note]) => /^[0-9a-f]{10,40}$/.test(commit) && typeof note === "string");
  if (!isNotes(notes)) throw new UserError(`${lateNotesFile} is not of the form {"<commit, at least 10 digits>": "<kind>: <note>"}`);
  return notes;
}

/** A late note stands in for the one that a commit lacks, and replaces none. */
export function withLateNotes(commits: readonly ReleaseCommit[], late: LateNotes): readonly ReleaseCommit[] {
  const entries = Object.entries(late);
  return commits.map((commit) => {
    const [, note] = entries.find(([id]) => commit.id.startsWith(id)) ?? [];
    return commit.notes.length > 0 || note === undefined ? commit : { ...commit, notes: [note] };
  });
}
