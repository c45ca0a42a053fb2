import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { importsOf, sources } from "./imports.ts";
import { isTest, roomOf, wrongEdge } from "./rooms.ts";

const root = join(import.meta.dirname, "../..");

describe("the rules", () => {
  test.each([
    ["a component may use the runtime", "components/attacher/plan.ts", "packages/kube/index.ts", undefined],
    ["components are strangers", "components/attacher/plan.ts", "components/resizer/plan.ts", "components never import each other"],
    ["kube knows nothing of CSI", "packages/kube/object.ts", "packages/csi/index.ts", "packages/kube may not import from packages/csi"],
    [
      "csi knows nothing of Kubernetes",
      "packages/csi/outcome.ts",
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
      "what ships does not contain the test world",
      "cmd/csi-sidecars/main.ts",
      "packages/testcluster/index.ts",
      "cmd/csi-sidecars may not import from packages/testcluster",
    ],
    ["a test may use the test world", "components/attacher/attach.test.ts", "packages/testcluster/index.ts", undefined],
    [
      "a new room needs rules",
      "packages/new/index.ts",
      "packages/kube/index.ts",
      "packages/new has no rules: add them to test/architecture/rooms.ts",
    ],
  ])("%s", (_, file, imported, why) => {
    expect(wrongEdge(file, imported)).toBe(why);
  });
});

describe("the house as built", () => {
  const files = sources(root);

  test("has sources in every kind of room", () => {
    expect(new Set(files.map(roomOf))).toContain("packages/kube");
    expect(files.flatMap((file) => importsOf(root, file)).length).toBeGreaterThan(100);
  });

  test("has no wrong edge", () => {
    const wrong = files
      .flatMap((file) => importsOf(root, file))
      .flatMap(({ file, specifier, target }) => {
        const why = target && wrongEdge(file, target);
        return why ? [`${file} imports "${specifier}": ${why}`] : [];
      });
    expect(wrong).toEqual([]);
  });

  test("enters another package only by its door", () => {
    const isWorkshop = (path: string) => /^(tools|test|bench)\//.test(path);
    const throughTheWall = files
      .filter((file) => !isWorkshop(file))
      .flatMap((file) => importsOf(root, file))
      .filter(
        ({ file, specifier, target }) => target && specifier.startsWith(".") && roomOf(file) !== roomOf(target) && !isWorkshop(target),
      );
    expect(throughTheWall.map(({ file, specifier }) => `${file} imports "${specifier}"`)).toEqual([]);
  });

  test("keeps the runtime's own calls behind two files in packages/kube", () => {
    const usesRuntime = files
      .filter((file) => file.startsWith("packages/kube/") && !isTest(file))
      .filter((file) => /\bBun\.|(?:await|return|=>?)\s+fetch\(/.test(readFileSync(join(root, file), "utf8")));
    const known = ["packages/kube/transport/bun-transport.ts", "packages/kube/informer/collect-garbage.ts"];
    expect(usesRuntime.filter((file) => !known.includes(file))).toEqual([]);
  });
});
