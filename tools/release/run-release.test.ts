import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../build/checksums.ts";
import { targets } from "../build/runtime.ts";
import { hasGit, TempRepository } from "../testing/temp-repository.ts";
import { type ReleaseOptions, release } from "./run-release.ts";
import { flagsFile, rbacFile } from "./snapshots.ts";

const ours = join(import.meta.dirname, "../..");
const locked = (version: string, more: object = {}) => ({ version, license: "ISC", integrity: "sha512-AAEC", ...more });
const lockfile = {
  version: "0.1.0",
  packages: {
    "node_modules/yaml": locked("1.0.0"),
    "node_modules/typescript": locked("7.0.0", { dev: true }),
    ...Object.fromEntries(
      targets.map(({ runtimePackage }) => [`node_modules/${runtimePackage}`, locked("1.4.4", { dev: true, optional: true })]),
    ),
  },
};

/** A repository that can be released. */
function releasable(): TempRepository {
  const repository = new TempRepository();
  cpSync(join(ours, "parity"), join(repository.folder, "parity"), { recursive: true });
  repository.commit("first", {
    "package.json": '{"version": "0.1.0", "license": "Apache-2.0"}',
    "package-lock.json": JSON.stringify(lockfile),
    "packages/base/package.json": '{"version": "0.1.0"}',
    "components/attacher/package.json": '{"version": "0.1.0"}',
    "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n### Feature\n\n- everything\n",
    "release/flags.json": '{"csi-attacher": {"--timeout": "duration", "--old": "bool"}}',
    "release/rbac.json": '{"attacher": {"cluster: get nodes": "always"}}',
    "deploy/a.yaml": "a: 1\n",
    ".gitignore": "dist/\n",
  });
  return repository;
}

/** The commit after a release: the next version, and what else changes. */
function next(repository: TempRepository, message: string, files: Readonly<Record<string, string>> = {}): void {
  repository.commit(message, {
    "package.json": '{"version": "0.2.0", "license": "Apache-2.0"}',
    "package-lock.json": JSON.stringify({ ...lockfile, version: "0.2.0" }),
    "packages/base/package.json": '{"version": "0.2.0"}',
    "components/attacher/package.json": '{"version": "0.2.0"}',
    ...files,
  });
}

async function run(repository: Pick<TempRepository, "folder" | "git">, options: Partial<ReleaseOptions> = {}) {
  const lines: string[] = [];
  const out = options.out ?? join(repository.folder, "dist/release");
  const print = (line: string) => void lines.push(line);
  const write = (folder: string, name: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), repository.git("describe", "--tags"));
  };
  const buildPrograms = async (_: string, folder: string) => {
    write(folder, "program");
    return [];
  };
  const failure = await (async () => {
    try {
      await release({
        root: repository.folder,
        out,
        dryRun: false,
        signal: new AbortController().signal,
        today: "2026-08-22",
        snapshots: new Map([flagsFile, rbacFile].map((file) => [file, readFileSync(join(repository.folder, file), "utf8")])),
        print,
        buildPrograms,
        buildImages: async (_, folder) => write(folder, "image"),
        ...options,
      });
    } catch (error) {
      return (error as Error).message;
    }
  })();
  return { failure, out, lines, read: (file: string) => readFileSync(join(out, file), "utf8") };
}

const tags = (repository: TempRepository) => repository.git("tag", "--list");

test.skipIf(!hasGit)("a release is tagged, built with its tag, and described; its checksums hold", async () => {
  using repository = releasable();
  const { failure, out, lines, read } = await run(repository);
  expect(failure).toBeUndefined();
  expect(lines.filter((line) => line.startsWith("passed"))).toHaveLength(10);
  expect(repository.git("cat-file", "-t", "v0.1.0")).toBe("tag");
  expect(repository.git("tag", "--list", "--format=%(contents:subject)")).toBe("# Release notes for v0.1.0");
  expect(read("RELEASE_NOTES.md")).toContain("# Changelog since the first commit\n\n## Changes by Kind\n\n### Feature\n\n- everything\n");
  expect(read("UPGRADE.md")).toContain("- attacher: kubernetes-csi/external-attacher v");
  expect(read("UPGRADE.md")).toContain("docs/migration.md is about moving over");
  expect([read("programs/program"), read("images/image")]).toEqual(["v0.1.0", "v0.1.0"]);
  const runtimes = targets.map(({ runtimePackage }) => runtimePackage);
  expect(JSON.parse(read("sbom.spdx.json")).packages).toMatchObject([
    { name: "csi-sidecars", versionInfo: "v0.1.0", licenseDeclared: "Apache-2.0" },
    ...runtimes.map((name) => ({ name, versionInfo: "1.4.4" })),
    { name: "yaml", versionInfo: "1.0.0", licenseDeclared: "ISC", checksums: [{ algorithm: "SHA512", checksumValue: "000102" }] },
  ]);
  const { subject, predicate } = JSON.parse(read("programs/provenance.json"));
  expect(subject).toEqual([{ name: "program", digest: { sha256: sha256(join(out, "programs/program")) } }]);
  expect(predicate.buildDefinition).toMatchObject({
    buildType: "urn:csi-sidecars:npm-run-build-all:v1",
    resolvedDependencies: [
      { digest: { gitCommit: repository.git("rev-parse", "HEAD") } },
      ...runtimes.map((name) => ({ uri: `pkg:npm/%40${name.slice(1)}@1.4.4` })),
      { uri: "pkg:npm/yaml@1.0.0" },
    ],
  });
  const listed = (file: string) => spawnSync("tar", ["-tzf", join(out, file)], { encoding: "utf8" }).stdout.split("\n");
  expect(listed("csi-sidecars-v0.1.0.tar.gz")).toContain("csi-sidecars-v0.1.0/package.json");
  expect(listed("manifests-v0.1.0.tar.gz").filter((name) => /[^/]$/.test(name))).toEqual(["csi-sidecars-v0.1.0/deploy/a.yaml"]);
  const { status, stdout } = spawnSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: out, encoding: "utf8" });
  expect([status, stdout.trim().split("\n").length]).toEqual([0, 8]);
});

test.skipIf(!hasGit)("the same commit gives the same files", async () => {
  using repository = releasable();
  const first = await (await run(repository)).read("SHA256SUMS");
  repository.git("tag", "--delete", "v0.1.0");
  expect((await run(repository)).read("SHA256SUMS")).toBe(first);
});

describe("a dry run", () => {
  test.skipIf(!hasGit)("writes the texts, tags and builds nothing, and tolerates a tree with changes", async () => {
    using repository = releasable();
    repository.write({ "new.txt": "new" });
    const { failure, out, lines } = await run(repository, { dryRun: true });
    expect(failure).toBeUndefined();
    expect(lines).toContain("skipped  clean tree: a release would stop here");
    expect(lines).toContain("         not committed: new.txt");
    expect(lines).toContain("skipped  reproducible build, programs, images, archives, tag: this is a dry run");
    expect([tags(repository), existsSync(join(out, "RELEASE_NOTES.md")), existsSync(join(out, "programs"))]).toEqual(["", true, false]);
  });

  test.skipIf(!hasGit)("fails where a release would", async () => {
    using repository = releasable();
    repository.git("tag", "v0.1.0");
    expect((await run(repository, { dryRun: true })).failure).toBe("not released: one new version");
  });
});

describe("no release", () => {
  test.skipIf(!hasGit)("of a tree with changes", async () => {
    using repository = releasable();
    repository.write({ "new.txt": "new" });
    const { failure, out } = await run(repository);
    expect([failure, tags(repository), existsSync(out)]).toEqual(["not released: clean tree", "", false]);
  });

  test.skipIf(!hasGit)("with flags or permissions that nobody has written down", async () => {
    using repository = releasable();
    const snapshots = new Map([[flagsFile, '{"csi-attacher": {"--timeout": "duration"}}']]);
    const { failure, lines } = await run(repository, { snapshots });
    expect([failure, tags(repository)]).toEqual(["not released: snapshots", ""]);
    expect(lines).toContain("         release/flags.json is not what the programs are: npm run generate:docs");
  });

  test.skipIf(!hasGit)("when nobody has looked at upstream for 90 days; a dry run says so and goes on", async () => {
    using repository = releasable();
    const asOf = (file: string) => JSON.parse(readFileSync(join(repository.folder, "parity", file), "utf8")).reviewed.asOf;
    const days = readdirSync(join(repository.folder, "parity")).map((file) => Date.parse(asOf(file)));
    const today = new Date(Math.min(...days) + 91 * 86_400_000).toISOString().slice(0, 10);
    expect((await run(repository, { dryRun: true, today })).lines).toContain("skipped  recent parity: a release would stop here");
    const { failure } = await run(repository, { today });
    expect([failure, tags(repository)]).toEqual(["not released: recent parity", ""]);
  });

  test.skipIf(!hasGit)("where the tag of the release before is missing", async () => {
    using repository = releasable();
    next(repository, "attacher: wait");
    const { failure, lines } = await run(repository);
    expect([failure, tags(repository)]).toEqual(["not released: whole history", ""]);
    expect(lines).toContain("         no tag of a release before v0.2.0: git fetch --tags");
  });

  test.skipIf(!hasGit)("from a shallow clone", async () => {
    using repository = releasable();
    repository.commit("attacher: wait");
    using clone = new TempRepository();
    clone.git("fetch", "--quiet", "--depth=1", `file://${repository.folder}`, "main");
    clone.git("reset", "--quiet", "--hard", "FETCH_HEAD");
    const { failure, lines } = await run(clone);
    expect([failure, tags(clone)]).toEqual(["not released: whole history", ""]);
    expect(lines).toContain("         a shallow clone: git fetch --unshallow --tags");
  });

  test.skipIf(!hasGit)("of a build that differs the second time: the tag is taken back", async () => {
    using repository = releasable();
    const { failure } = await run(repository, { buildPrograms: async () => ["linux-amd64/csi-sidecars"] });
    expect([failure, tags(repository)]).toEqual(["the build is not reproducible: linux-amd64/csi-sidecars", ""]);
  });

  test.skipIf(!hasGit)("over a folder that is no release's", async () => {
    using repository = releasable();
    repository.write({ "dist/mine/notes.txt": "mine" });
    const out = join(repository.folder, "dist/mine");
    const { failure } = await run(repository, { out });
    expect([failure, existsSync(join(out, "notes.txt"))]).toEqual([
      `${out} has files that are not of a release: choose another --out`,
      true,
    ]);
  });

  test.skipIf(!hasGit).each(["", "new", "deploy/new", ".git/new"])("into the work tree: %p", async (folder) => {
    using repository = releasable();
    const out = join(repository.folder, folder);
    const { failure } = await run(repository, { out });
    expect(failure).toStartWith(`--out ${out} is inside of the work tree and not ignored by git`);
    expect([existsSync(join(repository.folder, "package.json")), tags(repository)]).toEqual([true, ""]);
  });

  test.skipIf(!hasGit).each(["buildPrograms", "buildImages"] as const)("interrupted in %s: the tag is taken back", async (step) => {
    using repository = releasable();
    const interrupt = new AbortController();
    const { failure } = await run(repository, {
      signal: interrupt.signal,
      [step]: async () => {
        expect(tags(repository)).toBe("v0.1.0");
        interrupt.abort(new Error("interrupted"));
        if (step === "buildPrograms") interrupt.signal.throwIfAborted();
        return [];
      },
    });
    expect([failure, tags(repository)]).toEqual(["interrupted", ""]);
  });

  test.skipIf(!hasGit).each([
    ["commits without notes", "attacher: wait", {}, "release notes", / \(attacher: wait\) has no Release-note/],
    [
      "a flag that is gone, unreviewed",
      "attacher: wait\n\nRelease-note: NONE",
      { "release/flags.json": '{"csi-attacher": {"--timeout": "duration"}}' },
      "flags",
      /csi-attacher: --old is not reviewed: say why in release\/reviewed.json, under 0.2.0/,
    ],
    [
      "a permission that is new, unreviewed",
      "attacher: wait\n\nRelease-note: NONE",
      { "release/rbac.json": '{"attacher": {"cluster: get nodes": "always", "cluster: get secrets": "always"}}' },
      "permissions",
      /attacher: cluster: get secrets \(always\) is not reviewed/,
    ],
    [
      "a controller without its upstream",
      "attacher: wait\n\nRelease-note: NONE",
      { "parity/attacher.json": readFileSync(join(ours, "parity/attacher.json"), "utf8").replace('"not applicable"', '"pending"') },
      "parity",
      /attacher: .* is about a vulnerability and pending/,
    ],
    [
      "a package of another version",
      "attacher: wait\n\nRelease-note: NONE",
      { "packages/base/package.json": '{"version": "0.1.0"}' },
      "one new version",
      /packages\/base\/package.json has version 0.1.0, not 0.2.0/,
    ],
  ] as const)("of %s", async (_, message, files, check, problem) => {
    using repository = releasable();
    repository.git("tag", "v0.1.0");
    next(repository, message, files);
    const { failure, lines } = await run(repository);
    expect([failure, tags(repository)]).toEqual([`not released: ${check}`, "v0.1.0"]);
    expect(lines.filter((line) => problem.test(line))).toHaveLength(1);
  });
});

test.skipIf(!hasGit)("the next release says what has changed since, with what was reviewed and what was noted late", async () => {
  using repository = releasable();
  repository.git("tag", "v0.1.0");
  const late = repository.commit("attacher: count");
  next(repository, "attacher: wait less\n\nRelease-note: bug: Waits less.", {
    "release/flags.json": '{"csi-attacher": {"--timeout": "duration", "--new": "bool"}}',
    "release/reviewed.json": '{"0.2.0": {"csi-attacher: --old": "had no effect"}}',
    "release/late-notes.json": JSON.stringify({ [late.slice(0, 10)]: "feature: Counts." }),
  });
  const { failure, read } = await run(repository);
  expect([failure, tags(repository)]).toEqual([undefined, "v0.1.0\nv0.2.0"]);
  expect(read("RELEASE_NOTES.md")).toContain("# Changelog since v0.1.0\n");
  expect(read("RELEASE_NOTES.md")).toMatch(/### Feature\n\n#### attacher\n\n- Counts\. \([0-9a-f]{10}\)\n/);
  expect(read("RELEASE_NOTES.md")).toMatch(/### Bug or Regression\n\n#### attacher\n\n- Waits less\. \([0-9a-f]{10}\)\n/);
  expect(read("UPGRADE.md")).toContain(
    "## Flags that are gone or changed\n\n- csi-attacher: --old\n\n## New flags\n\n- csi-attacher: --new (bool)\n",
  );
});
