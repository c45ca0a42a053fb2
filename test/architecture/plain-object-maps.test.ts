import { describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isTest } from "./import-rules.ts";
import { sources } from "./imports.ts";
import { plainObjectMaps } from "./plain-object-maps.ts";

const root = join(import.meta.dirname, "../..");

/** Files that may index a plain object by a string, and why. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ["packages/base/dictionary.ts", "asks before it looks"],
  ["packages/csi/grpc/server.ts", "methods of a service that we define, in handlers that may inherit them"],
]);

test("no key from outside meets an object with a prototype", async () => {
  const isOurs = (file: string) => /^(packages|components|cmd|examples)\//.test(file) && !isTest(file) && !file.includes("/gen/");
  const found = await plainObjectMaps(root, sources(root).filter(isOurs));
  const wrong = found.filter(({ file }) => !exceptions.has(file));
  expect(wrong.map(({ file, line, code }) => `${file}:${line} ${code}`)).toEqual([]);
  expect([...exceptions.keys()].filter((file) => !found.some((place) => place.file === file))).toEqual([]);
});

describe("found is", () => {
  const declarations = `
    declare const withoutPrototype: unique symbol;
    type Dictionary<V> = Record<string, V> & { readonly [withoutPrototype]: true };
    declare const key: string, index: number, known: "a" | "b", labels: Record<string, string>, list: readonly string[];
    declare const maybe: Readonly<Record<string, string>> | undefined, safe: Dictionary<string>, shape: { a: string; b: string };
    declare const each: readonly Record<string, string>[], parsed: any;
  `;
  test.each([
    ["a read", "labels[key]", true],
    ["a read of what may be missing", "maybe?.[key]", true],
    ["a read of anything", "parsed[key]", true],
    ["a read by a key that is only said to be known", "shape[key as keyof typeof shape]", true],
    ["a write", 'labels[key] = "x"', true],
    ["a question", "key in labels", true],
    ["a question to an object of fixed form", "key in shape", true],
    ["an assignment of all keys", "Object.assign({}, labels)", true],
    ["an assignment of several", "Object.assign({}, ...each)", true],
    ["a copy of a dictionary", "(() => { const copy = { ...safe }; return copy[key]; })", "{ ...safe }"],
    ["a copy that is said to be a dictionary", "(): Dictionary<string> => ({ ...safe })", "{ ...safe }"],
    ["not: a copy of a dictionary as a plain object", "(): Record<string, string> => ({ ...safe })", false],
    ["not: a read by a name in the code", 'labels["app"]', false],
    ["not: a read by one of a few names", "shape[known]", false],
    ["not: an array", "list[index]", false],
    ["not: a dictionary", 'safe[key] = safe[key] ?? "x"', false],
    ["not: a question to a dictionary", "key in safe", false],
    ["not: an assignment to a dictionary", "Object.assign(safe, labels)", false],
    ["not: an assignment of known keys", "Object.assign({}, shape)", false],
    ["not: a removal", "delete labels[key]", false],
    ["not: a copy", "({ ...labels, [key]: 1 })", false],
  ])("%s", async (_, code, isFound) => {
    const folder = await mkdtemp(join(tmpdir(), "plain-object-maps-"));
    try {
      await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true, lib: ["ESNext"], types: [] } }));
      await writeFile(join(folder, "example.ts"), `${declarations}\n${code};\nexport {};\n`);
      const found = await plainObjectMaps(folder, ["example.ts"]);
      const expected = typeof isFound === "string" ? [isFound] : isFound ? [code.replace(/ = .*/, "")] : [];
      expect(found.map((place) => place.code)).toEqual(expected);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
