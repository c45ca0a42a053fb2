import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { UserError } from "../../cmd/playground/user-error.ts";

const maxOutput = 1 << 30;

/** Writes a tarball of what a commit has below a path: the same bytes every time, since git takes all times from the commit. */
export function writeArchive(
  root: string,
  commit: string,
  options: { readonly file: string; readonly prefix: string; readonly path?: string },
): void {
  const { file, prefix, path } = options;
  const args = ["-C", root, "archive", "--format=tar", `--prefix=${prefix}/`, commit, ...(path ? [path] : [])];
  const { status, stdout, stderr } = spawnSync("git", args, { maxBuffer: maxOutput });
  if (status !== 0) throw new UserError(`git archive: ${stderr}`);
  writeFileSync(file, gzipSync(stdout, { level: 9 }));
}
