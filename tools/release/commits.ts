import { git } from "../git.ts";

/** A commit of this repository, as far as release notes go. */
export interface ReleaseCommit {
  readonly id: string;
  readonly subject: string;
  /** The values of its `Release-note:` trailers. */
  readonly notes: readonly string[];
}

/** The commits since a release, oldest first; merges say nothing of their own. */
export function commitsSince(root: string, tag: string, commit: string): readonly ReleaseCommit[] {
  const notes = "%(trailers:key=Release-note,valueonly,unfold,separator=%x1f)";
  const log = git(root, "log", "--reverse", "--no-merges", `--format=%H%x1e%s%x1e${notes}%x1d`, `${tag}..${commit}`);
  return log
    .split("\x1d")
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .map((text) => {
      const [id = "", subject = "", values = ""] = text.split("\x1e");
      return {
        id,
        subject,
        notes: values
          .split("\x1f")
          .map((value) => value.trim())
          .filter((value) => value !== ""),
      };
    });
}

/** The commits without a note: they block a release. */
export function withoutNote(commits: readonly ReleaseCommit[]): readonly ReleaseCommit[] {
  return commits.filter(({ notes }) => notes.length === 0);
}
