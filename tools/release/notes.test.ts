import { describe, expect, test } from "bun:test";
import { hasGit, TempRepository } from "../testing/temp-repository.ts";
import { commitsSince, withoutNote } from "./commits.ts";
import { dependencies, dependencyChanges } from "./dependencies.ts";
import { withLateNotes } from "./late-notes.ts";
import { parseNote } from "./release-note.ts";
import { renderNotes, textsOf } from "./render-notes.ts";
import { sectionsOf } from "./sections.ts";
import { unreleasedTexts } from "./unreleased.ts";

test.each([
  ["bug: A claim waits.", { heading: "Bug or Regression", text: "A claim waits." }],
  ["Feature: It can: more", { heading: "Feature", text: "It can: more" }],
  ["urgent: Read this", { heading: "Urgent Upgrade Notes", text: "Read this" }],
  ["other: tidy", { heading: "Other (Cleanup or Flake)", text: "tidy" }],
  ["`--timeout`: has another default", { heading: "Uncategorized", text: "`--timeout`: has another default" }],
  ["constructor: is no kind", { heading: "Uncategorized", text: "constructor: is no kind" }],
  ["bug", { heading: "Uncategorized", text: "bug" }],
  ["none", "none"],
  [" NONE ", "none"],
] as const)("%p is a note", (value, expected) => {
  expect(parseNote(value)).toEqual(expected);
});

test.skipIf(!hasGit)("notes come from trailers, by kind and controller, in upstream's form", () => {
  using repository = new TempRepository();
  repository.commit("first\n\nRelease-note: bug: before");
  repository.git("tag", "v0.1.0");
  const bug = repository.commit("attacher: wait less\n\nWhy.\n\nRelease-note: bug: Waits\n  less.\nSigned-off-by: A <a@b.c>");
  const both = repository.commit("kube: resume watches\n\nRelease-note: feature: Resumes.\nRelease-note: urgent: Needs more.");
  repository.commit("docs: say more\n\nRelease-note: NONE");
  const late = repository.commit("provisioner: count\n\nNo note at all.");
  repository.mergePull(4, "resizer: see\n\nRelease-note: bug: Sees.", { a: "1" }, "2026-01-02T00:00:00Z");

  const commits = commitsSince(repository.folder, "v0.1.0", "HEAD");
  expect(commits.map(({ subject }) => subject)).toEqual([
    "attacher: wait less",
    "kube: resume watches",
    "docs: say more",
    "provisioner: count",
    "resizer: see",
  ]);
  expect(withoutNote(commits).map(({ id }) => id)).toEqual([late]);
  const complete = withLateNotes(commits, { [late.slice(0, 12)]: "bug: Counts.", [bug]: "bug: Not this." });
  expect(withoutNote(complete)).toEqual([]);
  const seen = commits.at(-1)?.id ?? "";

  const sections = sectionsOf(complete, ["attacher", "provisioner", "resizer"]);
  const dependencies = { added: ["a: v1"], changed: ["b: v1 → v2"], removed: [] };
  const short = (id: string) => id.slice(0, 10);
  expect(renderNotes({ tag: "v0.2.0", previous: "v0.1.0", texts: textsOf(sections), dependencies })).toBe(`# Release notes for v0.2.0

# Changelog since v0.1.0

## Changes by Kind

### Urgent Upgrade Notes

Read these before you upgrade.

#### csi-sidecars

- Needs more. (${short(both)})

### Feature

#### csi-sidecars

- Resumes. (${short(both)})

### Bug or Regression

#### attacher

- Waits less. (${short(bug)})

#### provisioner

- Counts. (${short(late)})

#### resizer

- Sees. (${short(seen)})

## Dependencies

### Added

- a: v1

### Changed

- b: v1 → v2

### Removed

_Nothing has changed._

## Platforms

- Built for linux-amd64, linux-arm64, linux-amd64-musl, linux-arm64-musl, windows-amd64.
- Not built, unlike upstream's sidecars: linux-arm, linux-ppc64le, linux-s390x. The runtime does not exist for them.
`);
});

describe("the first release", () => {
  test("takes what CHANGELOG.md says of Unreleased, and nothing of older parts", () => {
    const changelog =
      "# Changelog\n\n## Unreleased\n\n### Changed\n\n- a\n\n### Fixed\n\ntext\n\n- b\n- c\n\n### Feature\n\n- d\n\n### Strange\n\n- e\n\n## v0.0.1\n\n### Feature\n\n- old\n";
    expect([...unreleasedTexts(changelog)]).toEqual([
      ["Other (Cleanup or Flake)", "- a"],
      ["Bug or Regression", "text\n\n- b\n- c"],
      ["Feature", "- d"],
      ["Uncategorized", "- e"],
    ]);
    expect(() => unreleasedTexts("# Changelog\n")).toThrow("CHANGELOG.md has no part Unreleased");
  });
});

test("dependencies are those that ship, in upstream's form", () => {
  const lockfile = (entries: object) =>
    JSON.stringify({ packages: { "": { version: "0.1.0" }, "packages/base": { version: "0.1.0" }, ...entries } });
  const before = dependencies(
    lockfile({
      "node_modules/yaml": { version: "1.0.0" },
      "node_modules/gone": { version: "1.0.0" },
      "node_modules/typescript": { version: "1.0.0", dev: true },
      "node_modules/@csi-sidecars/base": { link: true },
    }),
  );
  expect([...before]).toEqual([
    ["gone", "1.0.0"],
    ["yaml", "1.0.0"],
  ]);
  const after = dependencies(
    lockfile({
      "node_modules/yaml": { version: "1.1.0" },
      "node_modules/a/node_modules/@scope/b": { version: "2.0.0" },
      "node_modules/bun": { version: "1.4.4", dev: true },
    }),
  );
  expect(dependencyChanges(before, after)).toEqual({
    added: ["@scope/b: v2.0.0", "bun: v1.4.4"],
    changed: ["yaml: v1.0.0 → v1.1.0"],
    removed: ["gone: v1.0.0"],
  });
});
