import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../cmd/playground/user-error.ts";
import { commitOf, git } from "../git.ts";

const form = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?$/;

/** The only one that no release is before. */
export const firstVersion = "0.1.0";

/** The version of everything, which the root's package.json has alone: `0.2.0`. */
export function releaseVersion(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  if (typeof version !== "string" || !form.test(version))
    throw new UserError(`package.json: version ${JSON.stringify(version)} is not of the form 1.2.3`);
  return version;
}

/** The package.json files of workspaces, and the lockfile, that have another version than the root. */
export function otherVersions(root: string, version: string): readonly string[] {
  const workspaces = ["packages", "components"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name, "package.json")),
  );
  const versions = [...workspaces, "package-lock.json"].map((file) => {
    const { version: found } = JSON.parse(readFileSync(join(root, file), "utf8"));
    return { file, found };
  });
  return versions.filter(({ found }) => found !== version).map(({ file, found }) => `${file} has version ${found}, not ${version}`);
}

/** The newest release that a commit contains, if any. */
export function previousTag(root: string, commit: string): string | undefined {
  const tags = git(root, "tag", "--list", "v[0-9]*", "--merged", commit)
    .split("\n")
    .filter((tag) => form.test(tag.slice(1)));
  return tags.toSorted((a, b) => compareVersions(a.slice(1), b.slice(1))).at(-1);
}

/** Why a version cannot be the next release, or `undefined`. */
export function versionProblem(root: string, version: string, previous: string | undefined): string | undefined {
  if (commitOf(root, `refs/tags/v${version}`))
    return `v${version} exists already, and a release is never replaced: raise the version in package.json`;
  if (previous !== undefined && compareVersions(version, previous.slice(1)) <= 0)
    return `v${version} is not newer than ${previous}: raise the version in package.json`;
  return undefined;
}

/** Below 0 when `a` is older; a prerelease is older than its release. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [form.exec(a), form.exec(b)];
  if (!left || !right) throw new UserError(`${left ? b : a} is no version`);
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part]) - Number(right[part]);
    if (difference !== 0) return difference;
  }
  if (left[4] === right[4]) return 0;
  if (left[4] === undefined) return 1;
  if (right[4] === undefined) return -1;
  return left[4].localeCompare(right[4], "en", { numeric: true });
}
