import { git } from "../git.ts";

/** What images are tagged with: the release that they are of; else the canary of the branch, which the next build replaces. */
export function defaultTag(root: string, { version, isRelease }: { readonly version: string; readonly isRelease: boolean }): string {
  if (isRelease) return version;
  const [, minor] = /^release-(\d+\.\d+)$/.exec(git(root, "branch", "--show-current").trim()) ?? [];
  return minor === undefined ? "canary" : `${minor}-canary`;
}
