import { commitOf, git } from "../git.ts";
import { type ChangelogEntry, changelogEntries } from "./changelog-entries.ts";
import type { ParityRecord } from "./parity-record.ts";

/** One step of upstream's branch: a merged pull request, or a commit that was pushed or squashed. */
export interface UpstreamChange {
  readonly commit: string;
  readonly date: string;
  readonly pull?: number;
  readonly title: string;
  readonly security: boolean;
  /** What upstream's changelog says of it, once it does. */
  readonly entry?: ChangelogEntry;
}

/** The branch of a clone, wherever it was cloned to. */
export function branchOf(clone: string, branch: string): string | undefined {
  return [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`].map((name) => commitOf(clone, name)).find(Boolean);
}

/** What a clone's branch has after the reproduced commit and a controller has to know of, oldest first. */
export function upstreamChanges(clone: string, tip: string, record: Pick<ParityRecord, "commit" | "paths">): readonly UpstreamChange[] {
  const format = "%x1e%H%x1f%cs%x1f%B%x1f";
  const log = git(clone, "log", "--first-parent", "--name-only", "--reverse", `--format=${format}`, `${record.commit}..${tip}`);
  const entries = changelogEntries(changelogOf(clone, tip));
  return log
    .split("\x1e")
    .slice(1)
    .map((text) => parseChange(text, entries))
    .filter(({ files, change }) => change.security || files.some((file) => isBehaviour(file, record.paths)))
    .map(({ change }) => change);
}

const vulnerability = /\bCVEs?\b|\bGHSA-|\bGO-\d{4}-\d/;

function parseChange(text: string, entries: ReadonlyMap<number, ChangelogEntry>) {
  const [commit = "", date = "", message = "", names = ""] = text.split("\x1f");
  const [subject = "", ...rest] = message.trim().split("\n");
  const merged = /^Merge pull request #(\d+) /.exec(subject)?.[1];
  const pull = merged ?? /\(#(\d+)\)$/.exec(subject)?.[1];
  // GitHub's merges carry the title of the pull request below a line that only names the branch.
  const title = (merged && rest.find((line) => line.trim() !== "")) || subject;
  const entry = pull === undefined ? undefined : entries.get(Number(pull));
  const security = vulnerability.test(`${message}\n${entry?.text ?? ""}`);
  const change: UpstreamChange = {
    commit,
    date,
    title,
    security,
    ...(pull !== undefined && { pull: Number(pull) }),
    ...(entry && { entry }),
  };
  return { change, files: names.split("\n").filter(Boolean) };
}

/** Folders and files that say nothing of how a sidecar behaves: dependencies, build and CI, texts, tests. */
const elsewhere = [
  /^(vendor|release-tools|\.github|CHANGELOG|hack|scripts)\//,
  /(^|\/)(go\.(mod|sum|work|work\.sum)|OWNERS(_ALIASES)?|SECURITY_CONTACTS|LICENSE|Makefile|\.gitignore)$/,
  /(^|\/)(cloudbuild\.yaml|\.cloudbuild\.sh|\.prow\.sh|Dockerfile[^/]*|CHANGELOG[^/]*\.md|[^/]*\.md)$/,
  /_test\.go$/,
  /(^|\/)vendor\//,
];

function isBehaviour(file: string, paths: readonly string[] | undefined): boolean {
  return !elsewhere.some((pattern) => pattern.test(file)) && (paths === undefined || paths.some((path) => file.startsWith(path)));
}

function changelogOf(clone: string, commit: string): string {
  const files = git(clone, "ls-tree", "-r", "--name-only", commit)
    .split("\n")
    .filter((file) => /^CHANGELOG[^/]*(\.md|\/[^/]*\.md)$/.test(file));
  return files.map((file) => git(clone, "show", `${commit}:${file}`)).join("\n");
}
