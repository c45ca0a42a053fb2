import { expect, test } from "bun:test";
import { buildVersion } from "../build/compile.ts";
import { hasGit, TempRepository } from "../testing/temp-repository.ts";
import { defaultTag } from "./default-tag.ts";

test.skipIf(!hasGit)("only what is built from the commit of a release has its tag", () => {
  using repository = new TempRepository();
  const tag = () => defaultTag(repository.folder, buildVersion(repository.folder));
  repository.commit("first", { "package.json": '{"version": "0.1.0"}' });
  expect(tag()).toBe("canary");
  repository.git("tag", "v0.1.0");
  expect(tag()).toBe("v0.1.0");
  repository.write({ "new.txt": "" });
  expect(tag()).toBe("canary");
  repository.git("checkout", "--quiet", "-b", "release-0.1");
  expect(tag()).toBe("0.1-canary");
  repository.commit("fix");
  expect(tag()).toBe("0.1-canary");
  repository.git("checkout", "--quiet", "--detach");
  expect(tag()).toBe("canary");
});
