import { expect, test } from "bun:test";
import { join } from "node:path";
import { commitOf, git } from "../../tools/git.ts";
import { hasGit, TempRepository } from "../../tools/testing/temp-repository.ts";

const root = join(import.meta.dirname, "../..");
const names = /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?)$/;

const lockfilesIn = (repository: string) =>
  git(repository, "ls-files", "--cached", "--others", "--exclude-standard")
    .split("\n")
    .filter((file) => names.test(file));

test.skipIf(!hasGit || commitOf(root, "HEAD") === undefined)("one lockfile says which versions everything is built with", () => {
  expect(lockfilesIn(root)).toEqual(["package-lock.json"]);
});

test.skipIf(!hasGit)("a second lockfile is found, in any folder and of any package manager", () => {
  using repository = new TempRepository();
  repository.commit("first", { "package-lock.json": "", "docs/bun.lock.md": "" });
  repository.write({ "packages/base/yarn.lock": "", "tools/bun.lock": "" });
  expect(lockfilesIn(repository.folder).toSorted()).toEqual(["package-lock.json", "packages/base/yarn.lock", "tools/bun.lock"]);
});
