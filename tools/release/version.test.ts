import { describe, expect, test } from "bun:test";
import { hasGit, TempRepository } from "../testing/temp-repository.ts";
import { compareVersions, otherVersions, previousTag, releaseVersion, versionProblem } from "./version.ts";

test("versions are ordered as numbers, and a prerelease is before its release", () => {
  const shuffled = ["1.0.0", "0.10.0", "1.0.0-rc.10", "0.9.9", "1.0.0-rc.2", "1.0.1"];
  expect(shuffled.toSorted(compareVersions)).toEqual(["0.9.9", "0.10.0", "1.0.0-rc.2", "1.0.0-rc.10", "1.0.0", "1.0.1"]);
  expect(compareVersions("1.2.3", "1.2.3")).toBe(0);
  expect(() => compareVersions("1.2", "1.2.3")).toThrow("1.2 is no version");
});

describe("the release before", () => {
  test.skipIf(!hasGit)("is the newest tag of a version that the commit contains", () => {
    using repository = new TempRepository();
    const first = repository.commit("first");
    expect(previousTag(repository.folder, first)).toBeUndefined();
    for (const tag of ["v0.9.0", "v0.10.0", "vendor-1", "v1"]) repository.git("tag", tag);
    repository.git("checkout", "--quiet", "-b", "release-0.9");
    repository.commit("fix");
    repository.git("tag", "v0.11.0");
    repository.git("checkout", "--quiet", "main");
    expect(previousTag(repository.folder, repository.commit("more"))).toBe("v0.10.0");
  });

  test.skipIf(!hasGit).each([
    ["0.2.0", undefined],
    ["0.1.1", undefined],
    ["0.1.0", "v0.1.0 exists already, and a release is never replaced: raise the version in package.json"],
    ["0.0.9", "v0.0.9 is not newer than v0.1.0: raise the version in package.json"],
  ])("decides whether %s can be the next", (version, problem) => {
    using repository = new TempRepository();
    repository.commit("first");
    repository.git("tag", "v0.1.0");
    expect(versionProblem(repository.folder, version, "v0.1.0")).toBe(problem);
  });
});

test.skipIf(!hasGit)("every package has the version of the root", () => {
  using repository = new TempRepository();
  repository.write({
    "package.json": '{"version": "0.2.0"}',
    "package-lock.json": '{"version": "0.1.0"}',
    "packages/base/package.json": '{"version": "0.2.0"}',
    "components/attacher/package.json": "{}",
  });
  const version = releaseVersion(repository.folder);
  expect(otherVersions(repository.folder, version)).toEqual([
    "components/attacher/package.json has version undefined, not 0.2.0",
    "package-lock.json has version 0.1.0, not 0.2.0",
  ]);
  repository.write({ "package.json": '{"version": "next"}' });
  expect(() => releaseVersion(repository.folder)).toThrow('package.json: version "next" is not of the form 1.2.3');
});
