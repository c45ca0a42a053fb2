import { expect, test } from "bun:test";
import { hasGit, TempRepository } from "../testing/temp-repository.ts";
import { importHistory } from "./rewrite-history.ts";
import { withTrailers } from "./trailers.ts";

test.skipIf(!hasGit)("a history is written below a folder of its own, with its merges, authors and origins, beside the branches", () => {
  using upstream = new TempRepository();
  const first = upstream.commit("first\n\nSigned-off-by: A <a@b.c>", { "pkg/a.go": "1", "über.md": "ü" }, "2020-01-01T00:00:00Z");
  const merged = upstream.mergePull(3, "Change a", { "pkg/a.go": "2" }, "2020-02-01T00:00:00Z");
  using ours = new TempRepository();
  const main = ours.commit("ours", { "README.md": "ours" });

  const plan = { clone: upstream.folder, tip: merged, into: ours.folder, name: "upstream-a" };
  expect(importHistory(plan)).toEqual({ ref: "refs/archaeology/upstream-a", commits: 3 });
  const tip = ours.git("rev-parse", "refs/archaeology/upstream-a");

  expect(ours.git("rev-parse", `${tip}:upstream/upstream-a`)).toBe(upstream.git("rev-parse", `${merged}^{tree}`));
  expect(ours.git("ls-tree", "--name-only", tip)).toBe("upstream");
  expect(ours.git("log", "-1", "--format=%an %ae %aI %cI", tip)).toBe(upstream.git("log", "-1", "--format=%an %ae %aI %cI", merged));
  expect(ours.git("rev-list", "--count", "--merges", tip)).toBe("1");
  expect(ours.git("log", "--format=%s", tip, "--", "upstream/upstream-a/pkg/a.go")).toBe("Change a\nfirst");
  const trailers = "%(trailers:only,unfold)";
  expect(ours.git("log", "-1", `--format=${trailers}`, tip)).toBe(`Imported-from: upstream-a\nOriginal-commit-hash: ${merged}`);
  const origin = `Imported-from: upstream-a\nOriginal-commit-hash: ${first}`;
  expect(ours.git("log", "--max-parents=0", `--format=${trailers}`, tip)).toBe(`Signed-off-by: A <a@b.c>\n${origin}`);

  expect(ours.git("for-each-ref", "--format=%(refname)")).toBe("refs/archaeology/upstream-a\nrefs/heads/main");
  expect([ours.git("rev-parse", "main"), ours.git("status", "--porcelain")]).toEqual([main, ""]);

  importHistory(plan);
  expect(ours.git("rev-parse", "refs/archaeology/upstream-a")).toBe(tip);
  const next = upstream.commit("next", { "pkg/b.go": "1" });
  importHistory({ ...plan, tip: next });
  expect(ours.git("rev-parse", "refs/archaeology/upstream-a^")).toBe(tip);
});

test.skipIf(!hasGit)("texts of any encoding stay as they are, and several roots stay roots", () => {
  using upstream = new TempRepository();
  upstream.git("config", "i18n.commitEncoding", "ISO-8859-1");
  upstream.commit("caf\u00e9", { a: "1" });
  upstream.git("checkout", "--quiet", "--orphan", "other");
  upstream.commit("another root", { a: "1", b: "2" });
  upstream.git("checkout", "--quiet", "main");
  upstream.git("merge", "--quiet", "--no-ff", "--allow-unrelated-histories", "--message", "join", "other");
  using ours = new TempRepository();
  const tip = upstream.git("rev-parse", "HEAD");
  importHistory({ clone: upstream.folder, tip, into: ours.folder, name: "u" });
  expect(ours.git("rev-list", "--count", "--max-parents=0", "refs/archaeology/u")).toBe("2");
  const subjects = (of: TempRepository, ref: string) => of.git("log", "--encoding=UTF-8", "--format=%s%x20%e", ref).split("\n").toSorted();
  expect(subjects(ours, "refs/archaeology/u")).toEqual(subjects(upstream, tip));
});

test.each([
  ["a subject alone", "subject\n", "subject\n\nA: 1\n"],
  ["a subject that looks like a trailer", "fix: this\n", "fix: this\n\nA: 1\n"],
  ["a text", "subject\n\ntext\n\n", "subject\n\ntext\n\nA: 1\n"],
  ["trailers", "subject\n\ntext\n\nB: 2\nC: 3\n  and on\n", "subject\n\ntext\n\nB: 2\nC: 3\n  and on\nA: 1\n"],
  ["an indented text", "subject\n\ntext:\n\n  # test:\n  run\n", "subject\n\ntext:\n\n  # test:\n  run\n\nA: 1\n"],
  ["nothing", "", "A: 1\n"],
])("trailers follow %s", (_, message, expected) => {
  expect(withTrailers(message, [["A", "1"]])).toBe(expected);
});
