import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface BuildVersion {
  readonly version: string;
  readonly commit: string | undefined;
}

/** A tagged commit has its tag's version; any other the version to come and its own name. Outside of git there is only the former. */
export function buildVersion(root: string): BuildVersion {
  const git = (...args: string[]) => {
    const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" });
    return status === 0 ? stdout.trim() : undefined;
  };
  const commit = git("rev-parse", "HEAD");
  const tag = git("describe", "--exact-match", "--tags", "--match=v*");
  const dirty = git("status", "--porcelain") ? "-dirty" : "";
  const next = `v${JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version}`;
  if (!commit) return { version: next, commit: undefined };
  return { version: tag && !dirty ? tag : `${next}-dev-g${commit.slice(0, 10)}${dirty}`, commit };
}
