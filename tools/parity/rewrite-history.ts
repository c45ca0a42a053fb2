import { spawnSync } from "node:child_process";
import { UserError } from "../../cmd/playground/user-error.ts";
import { git } from "../git.ts";
import { parseCommit, type RawCommit } from "./raw-commit.ts";
import { withTrailers } from "./trailers.ts";

export interface HistoryImport {
  /** Of upstream's repository. */
  readonly clone: string;
  /** The commit whose history is imported. */
  readonly tip: string;
  /** The repository that gets it. */
  readonly into: string;
  /** Of the ref, of the folder in it, and in the trailers. */
  readonly name: string;
}

/**
 * Writes every commit that the tip is made of once more, with its tree below `upstream/<name>/` and two trailers, to `refs/archaeology/<name>`.
 * The same history gives the same commits: a later import only adds the new ones.
 */
export function importHistory({ clone, tip, into, name }: HistoryImport): { readonly ref: string; readonly commits: number } {
  const ref = `refs/archaeology/${name}`;
  const fetched = `refs/archaeology-import/${name}`;
  git(into, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", clone, `+${tip}:${fetched}`);
  try {
    const ids = git(into, "rev-list", "--topo-order", "--reverse", fetched).trim().split("\n");
    const commits = readCommits(into, ids);
    const stream = fastImportStream(commits, { ref, name });
    const { status, stderr } = spawnSync("git", ["-C", into, "fast-import", "--quiet", "--force", "--date-format=raw-permissive"], {
      input: stream,
    });
    if (status !== 0) throw new UserError(`git fast-import: ${stderr}`);
    return { ref, commits: commits.length };
  } finally {
    git(into, "update-ref", "-d", fetched);
  }
}

const maxOutput = 1 << 30;

function readCommits(folder: string, ids: readonly string[]): readonly RawCommit[] {
  const { status, stdout, stderr } = spawnSync("git", ["-C", folder, "cat-file", "--batch"], {
    input: ids.join("\n"),
    maxBuffer: maxOutput,
  });
  if (status !== 0) throw new UserError(`git cat-file: ${stderr}`);
  const commits: RawCommit[] = [];
  for (let at = 0; at < stdout.length; ) {
    const endOfHead = stdout.indexOf("\n", at);
    const [id = "", type, size] = stdout.toString("latin1", at, endOfHead).split(" ");
    if (type !== "commit") throw new UserError(`${id} is no commit`);
    const from = endOfHead + 1;
    commits.push(parseCommit(id, stdout.subarray(from, from + Number(size))));
    at = from + Number(size) + 1;
  }
  return commits;
}

/** The input of `git fast-import`. Texts are bytes: old commits are in all encodings. */
function fastImportStream(commits: readonly RawCommit[], { ref, name }: { readonly ref: string; readonly name: string }): Buffer {
  const marks = new Map(commits.map(({ id }, index) => [id, `:${index + 1}`]));
  const lines = commits.flatMap(({ id, tree, parents, author, committer, encoding, message }, index) => {
    const told = Buffer.from(
      withTrailers(message, [
        ["Imported-from", name],
        ["Original-commit-hash", id],
      ]),
      "latin1",
    );
    const [first, ...others] = parents.flatMap((parent) => marks.get(parent) ?? []);
    return [
      // Every commit begins at nothing, so that a root is one, and names its parents itself.
      ...(first ? [] : [`reset ${ref}\n`]),
      `commit ${ref}\nmark :${index + 1}\nauthor ${author}\ncommitter ${committer}\n`,
      encoding ? `encoding ${encoding}\n` : "",
      `data ${told.length}\n${told.toString("latin1")}\n`,
      first ? `from ${first}\n` : "",
      ...others.map((other) => `merge ${other}\n`),
      `deleteall\nM 040000 ${tree} upstream/${name}\n\n`,
    ];
  });
  return Buffer.from(lines.join(""), "latin1");
}
