import { spawnSync } from "node:child_process";
import { UserError } from "../cmd/playground/user-error.ts";

const maxOutput = 1 << 30;

/** What git prints for a repository. Throws in git's words when it fails. */
export function git(folder: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync("git", ["-C", folder, ...args], { encoding: "utf8", maxBuffer: maxOutput });
  if (error) throw new UserError(`git cannot be run: ${error.message}`);
  if (status !== 0) throw new UserError(`git ${args.join(" ")} in ${folder}: ${stderr.trim()}`);
  return stdout;
}

/** The commit that a name stands for, or `undefined` where there is none. */
export function commitOf(folder: string, name: string): string | undefined {
  const { status, stdout } = spawnSync("git", ["-C", folder, "rev-parse", "--verify", "--quiet", `${name}^{commit}`], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

/** Whether git ignores a path; a folder that is not there yet ends in a slash. */
export function isIgnored(folder: string, path: string): boolean {
  return spawnSync("git", ["-C", folder, "check-ignore", "--quiet", path]).status === 0;
}
