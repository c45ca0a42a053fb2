import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../cmd/playground/user-error.ts";

/** Builds the programs of all platforms twice, in two folders, and returns what differs. The first build stays. */
export function buildTwice(root: string, out: string): readonly string[] {
  const again = `${out}-again`;
  try {
    const [first, second] = [build(root, out), build(root, again)];
    const files = [...new Set([...first.keys(), ...second.keys()])];
    return files.filter((file) => first.get(file) !== second.get(file));
  } finally {
    rmSync(again, { recursive: true, force: true });
  }
}

/** The checksums of a build by file. */
function build(root: string, out: string): ReadonlyMap<string, string> {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "tools/build/build.ts"), "--all", "--out", out], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new UserError(`npm run build:all: ${stderr}`);
  return checksumsIn(readFileSync(join(out, "SHA256SUMS"), "utf8"));
}

/** The lines of `sha256sum` by file. */
export function checksumsIn(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
}
