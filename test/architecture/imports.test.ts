import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { importCycles } from "./import-cycles.ts";
import { isTest, mayImport, packageOf, workshops, wrongEdge } from "./import-rules.ts";
import { importsOf, sources } from "./imports.ts";

const root = join(import.meta.dirname, "../..");

describe("the rules", () => {
  test.each([
    ["a component may use the runtime", "components/attacher/plan.ts", "packages/kube/index.ts", undefined],
    [
      "components do not know each other",
      "components/attacher/plan.ts",
      "components/resizer/plan.ts",
      "components never import each other",
    ],
    ["kube knows nothing of CSI", "packages/kube/object.ts", "packages/csi/index.ts", "packages/kube may not import from packages/csi"],
    [
      "csi knows nothing of Kubernetes",
      "packages/csi/final-or-uncertain.ts",
      "packages/kube/index.ts",
      "packages/csi may not import from packages/kube",
    ],
    [
      "imports point down",
      "packages/host/flags.ts",
      "components/attacher/component.ts",
      "packages/host may not import from components/attacher",
    ],
    [
      "what ships does not contain the test cluster",
      "cmd/csi-sidecars/main.ts",
      "packages/testcluster/index.ts",
      "cmd/csi-sidecars may not import from packages/testcluster",
    ],
    [
      "an example has what a driver's author has",
      "examples/windows-smb-driver/main.ts",
      "packages/host/index.ts",
      "examples/windows-smb-driver may not import from packages/host",
    ],
    ["nothing imports an example", "tools/build/build.ts", "examples/windows-smb-driver/driver.ts", "nothing imports an example"],
    ["a test may use the test cluster", "components/attacher/attach.test.ts", "packages/testcluster/index.ts", undefined],
    [
      "a new package needs rules",
      "packages/new/index.ts",
      "packages/kube/index.ts",
      "packages/new has no rules: add them to test/architecture/import-rules.ts",
    ],
  ])("%s", (_, file, imported, why) => {
    expect(wrongEdge(file, imported)).toBe(why);
  });
});

/** Whether a file is part of what users run: everything but tests, and the cluster and driver that stand in for real ones. */
const isShipped = (file: string) =>
  /^(packages|components|cmd\/csi-sidecars)\//.test(file) && !isTest(file) && !/^packages\/(testcluster|hostpath)\//.test(file);

describe("cycles", () => {
  test.each([
    ["none in a tree", ["a>b", "a>c", "b>c"], []],
    ["two files", ["a>b", "b>a", "b>c"], [["a", "b"]]],
    ["a file that imports itself", ["a>a"], [["a"]]],
    ["a longer way round", ["a>b", "b>c", "c>d", "d>b"], [["b", "c", "d"]]],
    [
      "two that share no file",
      ["d>c", "c>d", "a>b", "b>a", "a>c"],
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
  ])("%s", (_, edges, cycles) => {
    const imports = edges.map((edge) => edge.split(">")).map(([file = "", target]) => ({ file, target }));
    expect(importCycles(imports)).toEqual(cycles);
  });
});

describe("the repository", () => {
  const files = sources(root);
  const imports = files.flatMap((file) => importsOf(root, file));

  test("has rules for every package, and for no other", () => {
    const known = files.map(packageOf).filter((name) => !workshops.includes(name));
    const ruled = (name: string) => (name in mayImport ? name : (name.split("/")[0] ?? ""));
    expect([...new Set(known.map(ruled))].sort()).toEqual(Object.keys(mayImport).sort());
    expect(imports.length).toBeGreaterThan(100);
  });

  test("ships nothing that is only a dependency of development, but types", () => {
    const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const types = ["kubernetes-models"];
    const forbidden = Object.keys(devDependencies).filter((name) => !types.includes(name));
    const wrong = imports
      .filter(({ file }) => isShipped(file) || (file.startsWith("packages/hostpath/") && !isTest(file)))
      .filter(({ specifier }) => forbidden.some((name) => specifier === name || specifier.startsWith(`${name}/`)));
    expect(wrong.map(({ file, specifier }) => `${file} imports "${specifier}"`)).toEqual([]);
  });

  test("has no wrong edge", () => {
    const wrong = imports.flatMap(({ file, specifier, target }) => {
      const why = target && wrongEdge(file, target);
      return why ? [`${file} imports "${specifier}": ${why}`] : [];
    });
    expect(wrong).toEqual([]);
  });

  test("has no import cycle at run time", () => {
    expect(importCycles(imports.filter(({ typeOnly }) => !typeOnly))).toEqual([]);
  });

  // Type imports count too: two files that need each other's types cannot be read one at a time.
  test("has no import cycle through types in what ships", () => {
    expect(importCycles(imports.filter(({ file }) => isShipped(file)))).toEqual([]);
  });

  test("enters another package only by its exports", () => {
    const isWorkshop = (path: string) => /^(tools|test|bench)\//.test(path);
    const past = imports.filter(
      ({ file, specifier, target }) =>
        !isWorkshop(file) && target && specifier.startsWith(".") && packageOf(file) !== packageOf(target) && !isWorkshop(target),
    );
    expect(past.map(({ file, specifier }) => `${file} imports "${specifier}"`)).toEqual([]);
  });

  test("keeps the runtime's own calls behind two files in packages/base and packages/kube", () => {
    const usesRuntime = files
      .filter((file) => /^packages\/(base|kube)\//.test(file) && !isTest(file))
      .filter((file) => /\bBun\.|(?:await|return|=>?)\s+fetch\(/.test(readFileSync(join(root, file), "utf8")));
    const known = ["packages/kube/transport/bun-transport.ts", "packages/base/collect-garbage.ts"];
    expect(usesRuntime.filter((file) => !known.includes(file))).toEqual([]);
  });
});
