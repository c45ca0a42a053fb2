import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const scan = (pattern: string) =>
  [...new Bun.Glob(pattern).scanSync({ cwd: root, dot: true, onlyFiles: false })].filter(
    (file) => !/(^|\/)(node_modules|dist|\.git)\//.test(file),
  );

const files = ["{bench,cmd,components,deploy,docs,examples,packages,test,tools,.ci}/**/*", "*"].flatMap(scan);
const topLevel = new Set(files.filter((file) => file.includes("/")).map((file) => file.split("/")[0] ?? ""));

/** The paths of sources and pages that a page names in backticks, outside of code blocks. */
function pathsIn(markdown: string): readonly string[] {
  const prose = markdown.replace(/^( *)```.*?^\1```$/gms, "");
  const quoted = [...prose.matchAll(/`([^`\s]+)`/g)].map(([, text = ""]) => text);
  return [...new Set(quoted.filter(looksLikePath))];
}

function looksLikePath(text: string): boolean {
  if (!/^[.\w@*{},/-]+$/.test(text)) return false;
  return (text.includes("/") && topLevel.has(text.split("/")[0] ?? "")) || /\w\.(ts|md|yaml|proto)$/.test(text);
}

/** Whether a path exists: from the root, from the page's folder, or as the end of the path of a file. */
function exists(page: string, path: string): boolean {
  const plain = path.replace(/\/$/, "");
  if (/[*{]/.test(plain)) return scan(plain).length > 0;
  return files.includes(join(dirname(page), plain)) || files.some((file) => file === plain || file.endsWith(`/${plain}`));
}

describe("what looks like a path", () => {
  test.each([
    ["a source", "packages/kube/index.ts", true],
    ["a folder", "components/attacher/", true],
    ["a bare file", "plan-attach.ts", true],
    ["a resource", "volumeattachments/status", false],
    ["a finalizer", "external-attacher/driver-example-com", false],
    ["an HTTP path", "/healthz", false],
    ["a flag", "--state", false],
  ])("%s: %s", (_, text, expected) => {
    expect(looksLikePath(text)).toBe(expected);
  });
});

const pages = ["README.md", "CONTRIBUTING.md", "docs/*.md", "bench/README.md", "{components,examples,packages}/*/README.md"]
  .flatMap(scan)
  .sort();

test("the pages name paths", () => {
  expect(pages.flatMap((page) => pathsIn(readFileSync(join(root, page), "utf8"))).length).toBeGreaterThan(50);
});

test.each(pages)("every path in %s exists", (page) => {
  const paths = pathsIn(readFileSync(join(root, page), "utf8"));
  expect(paths.filter((path) => !exists(page, path))).toEqual([]);
});
