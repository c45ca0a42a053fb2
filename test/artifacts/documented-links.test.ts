import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { images } from "../../tools/images/images.ts";
import { entrypointOf } from "../../tools/images/program-entries.ts";

const root = join(import.meta.dirname, "../..");
const scan = (pattern: string) => [...new Bun.Glob(pattern).scanSync({ cwd: root })].filter((file) => !file.includes("node_modules/"));
const pages = ["*.md", "{bench,docs,deploy,components,examples,packages}/**/*.md"].flatMap(scan).sort();

/** The page without its code blocks: those are not rendered. */
const proseOf = (page: string) => readFileSync(join(root, page), "utf8").replace(/^( *)```.*?^\1```$/gms, "");

/** The targets of links that stay in the repository. */
function relativeLinks(markdown: string): readonly string[] {
  const prose = markdown.replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target).filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors of the headings, as code hosts make them. */
function anchorsOf(page: string): readonly string[] {
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function isBroken(page: string, target: string): boolean {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(root, file))) return true;
  return anchor !== undefined && file.endsWith(".md") && !anchorsOf(file).includes(anchor);
}

/** Pages that are named in backticks, and are no link. */
function unlinked(page: string): readonly string[] {
  return [...proseOf(page).matchAll(/(?<!\[)`([\w./-]+\.md)`(?!\])/g)]
    .map(([, path = ""]) => path)
    .filter((path) => path !== page && [path, join(dirname(page), path)].some((file) => existsSync(join(root, file))));
}

test("pages link to each other", () => {
  expect(relativeLinks(proseOf("README.md"))).toContain("docs/why.md");
  expect(relativeLinks("[a](b.md), `[c](d.md)`, [e](https://example.com), [`f`](g.md#h), [`i`](j.md)")).toEqual(["b.md", "g.md#h", "j.md"]);
  expect(isBroken("README.md", "docs/why.md#no-such-heading")).toBe(true);
});

test("README.md leads to every page of docs", () => {
  const linked = relativeLinks(proseOf("README.md")).map((target) => target.replace(/#.*/, ""));
  expect(scan("docs/**/*.md").filter((page) => !linked.includes(page))).toEqual([]);
});

test.each(pages)("the links of %s lead somewhere", (page) => {
  expect(relativeLinks(proseOf(page)).filter((target) => isBroken(page, target))).toEqual([]);
});

test.each(pages.filter((page) => page !== "CHANGELOG.md"))("the pages that %s names are links", (page) => {
  expect(unlinked(page)).toEqual([]);
});

test("the program is where the pages call it in a container", () => {
  const entrypoints = images.flatMap((image) => entrypointOf(image, "linux/amd64"));
  const called = ["docs/why.md", "docs/getting-started.md", "docs/troubleshooting.md"].flatMap(
    (page) => readFileSync(join(root, page), "utf8").match(/(?<=kubectl .*exec .*-- )\S+/g) ?? [],
  );
  expect(called.length).toBeGreaterThan(0);
  expect(called.filter((path) => !entrypoints.includes(path))).toEqual([]);
});
