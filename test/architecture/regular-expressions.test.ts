import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isTest } from "./import-rules.ts";
import { sources } from "./imports.ts";
import { regexLiterals } from "./regex-literals.ts";
import { superlinear } from "./superlinear.ts";

const root = join(import.meta.dirname, "../..");

/** Files that build an expression from a text, and why that is harmless. */
const builders: Readonly<Record<string, string>> = {
  "packages/host/logging/structured-logger.ts": "the pattern is the operator's --vmodule, the names are our loggers'",
  "packages/hostpath/faults/fault-rules.ts": "fault rules are written by whoever tests with the driver",
  "packages/hostpath/faults/read-rules.ts": "fault rules are written by whoever tests with the driver",
  "packages/testcluster/program/run-in-process.ts": "reads what a program under test has written",
  "packages/testcluster/rules/crd/validate.ts": "the patterns are those of the definitions that the test cluster installs",
};

describe("an expression", () => {
  test.each([
    ["two repeated parts that can share a text", /^a*a*$/],
    ["two repeated parts with something optional between", /^[0-9]+\.?[0-9]*$/],
    ["the same choice twice", /^(?:a|a)*$/],
    ["a repeated part in a repeated part", /^(?:a+)+$/],
    ["the same with a separator that may be missing", /^(?:\w+\s?)*$/],
    ["bounded counts that multiply", /^(?:a{1,30}){1,30}$/],
    ["slashes at both ends of a volume id", /^\/+|\/+$/g],
    ["spaces at the end", /\s+$/],
    ["a repeated part before something else, anywhere", /\d+x/],
    ["a repeated part before a word's end, anywhere", /\w+\b/],
    ["everything between two words, anywhere", /account-(.+)-secret/],
    ["a quoted text without its end, anywhere", /"(?:[^"\\]|\\.)*"/g],
    ["spaces at the start of a line", /^\s+x/m],
    ["a look ahead at everything", /(?!.*x)y/],
  ])("that takes more than linear time: %s", (_, { source, flags }) => expect(superlinear(source, flags)).toBeString());

  test.each([
    ["a repeated part that ends the match", /\d+/g],
    ["a repeated part at the start", /^\/+/],
    ["one repeated part, anchored", /^[0-9]+$/],
    ["one repeated part, sticky", /\d+x/y],
    ["repeated parts that share no character", /^\d+[a-z]*$/],
    ["repeated parts with something between", /^\d+(?:\.\d*)?$/],
    ["a name of DNS labels", /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/],
    ["a quoted text, anchored", /^"((?:[^"\\]|\\.)*)"$/],
    ["a quoted text without escapes, anywhere", /name "[^"]*" not found/],
    ["everything to the end", /=(.*)$/s],
    ["classes by name", /\p{Cc}+/gu],
    ["words", /\b(Bound|Attached)\b/g],
  ])("that takes linear time: %s", (_, { source, flags }) => expect(superlinear(source, flags)).toBeUndefined());

  test("that needs backtracking is refused", () => {
    expect(() => superlinear(String.raw`(a)\1`)).toThrow("refers back to a group");
  });

  test.each([
    ["after what expects a value", "const a = /b+/g;", ["/b+/g"]],
    ["after a keyword", "return /a/.test(b) && /c/i.test(d)", ["/a/", "/c/i"]],
    ["not a division", "const a = b / c / d; e[0] / f(1) / 2", []],
    ["not in strings and comments", "\"/a/\" + '/b/' // c = /d/\n/* e = /f/ */", []],
    ["with slashes in a class", "f(/[/\\]]\\/+/)", ["/[/\\]]\\/+/"]],
    ["in a template's expression, not in its text", `\`/a/ \${{ b: /c/ }.b} / \${\`\${/d/}\`} /e/\` + /f/`, ["/c/", "/d/", "/f/"]],
    ["after a script's first line", "#!/usr/bin/env bun\n/a/", ["/a/"]],
  ])("is found %s", (_, text, expected) => {
    expect(regexLiterals(text).map(({ source, flags }) => `/${source}/${flags}`)).toEqual(expected);
  });
});

describe("what ships", () => {
  const files = sources(root)
    .filter((file) => /^(packages|components|cmd|examples)\//.test(file) && !isTest(file))
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

  // Names, annotations and messages come from the cluster and the driver: an expression on them takes linear time, whatever they hold.
  test("has no regular expression that takes more than linear time", () => {
    const literals = files.flatMap(({ file, text }) => regexLiterals(text).map((literal) => ({ ...literal, file })));
    expect(literals.length).toBeGreaterThan(100);
    const slow = literals.flatMap(({ file, line, source, flags }) => {
      const why = superlinear(source, flags);
      return why === undefined ? [] : [`${file}:${line}: /${source}/${flags}: ${why}`];
    });
    expect(slow).toEqual([]);
  });

  test("builds regular expressions from texts only where that is harmless", () => {
    const found = files.filter(({ text }) => /\bRegExp\(/.test(text)).map(({ file }) => file);
    expect(found).toEqual(Object.keys(builders));
  });
});
