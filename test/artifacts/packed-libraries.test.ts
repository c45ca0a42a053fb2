import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packagesImportedBy, publishedManifest } from "../../tools/libraries/libraries.ts";
import { packLibraries } from "../../tools/libraries/pack-libraries.ts";

const root = join(import.meta.dirname, "../..");
const node = Bun.which("node");

/** A project of somebody else that has installed the archives, and the packages of npm that they need. */
let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "packed-libraries-"));
  for (const archive of packLibraries(root, join(project, "archives"))) {
    const unpacked = join(project, "unpacked");
    mkdirSync(unpacked);
    Bun.spawnSync(["tar", "-xzf", archive, "-C", unpacked]);
    const manifest = JSON.parse(readFileSync(join(unpacked, "package/package.json"), "utf8"));
    cpSync(join(unpacked, "package"), join(project, "node_modules", manifest.name), { recursive: true });
    rmSync(unpacked, { recursive: true });
    for (const name of Object.keys(manifest.dependencies).filter((name) => !name.startsWith("@csi-sidecars/"))) install(name);
  }
}, 180_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

function install(name: string): void {
  const [path, source] = [join(project, "node_modules", name), join(root, "node_modules", name)];
  mkdirSync(join(path, ".."), { recursive: true });
  rmSync(path, { force: true });
  symlinkSync(source, path);
}

/** The example of the README as JavaScript, as Node 20 needs it. */
function addExample(): void {
  const javascript = new Bun.Transpiler({ loader: "ts" });
  for (const name of ["node-volumes", "try-it"]) {
    const source = readFileSync(join(root, `packages/csi-proxy/example/${name}.ts`), "utf8");
    writeFileSync(join(project, `${name}.mjs`), javascript.transformSync(source).replaceAll("./node-volumes.ts", "./node-volumes.mjs"));
  }
}

describe.skipIf(!node)(`the archives${node ? "" : " (skipped: there is no node)"}`, () => {
  const runNode = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([String(node), ...args], { cwd: project, env: { PATH: process.env.PATH } });
    return { exitCode, stdout: String(stdout), stderr: String(stderr) };
  };

  test("run the README's example with Node, without a word about anything", () => {
    addExample();
    const { exitCode, stdout, stderr } = runNode("try-it.mjs");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toStartWith("grown to 21458059264 bytes\n");
    expect(stdout).toContain("volume.format\n");
  });

  test.each([
    "csi-proxy",
    "csi-proxy/functions",
    "csi-proxy/server",
    "csi-proxy/testing",
    "csi",
    "base",
    "base/prometheus",
    "base/testing",
  ])("let Node import %s, which does nothing by itself", (entry) => {
    const code = `const own = await import("@csi-sidecars/${entry}"); console.log(Object.keys(own).length > 0, process._getActiveHandles().filter((h) => ![0, 1, 2].includes(h.fd)).length)`;
    expect(runNode("--input-type=module", "-e", code)).toEqual({ exitCode: 0, stdout: "true 0\n", stderr: "" });
  });

  // With the library of Node 20, and without `skipLibCheck`, which hides what is missing from the declarations.
  test("have types for those who compile", () => {
    const entries = ["csi-proxy/functions", "csi-proxy/server", "csi-proxy/testing", "csi", "base/prometheus"];
    const imports = entries.map((entry) => `import "@csi-sidecars/${entry}";\n`).join("");
    const source = `import { createCsiProxy } from "@csi-sidecars/csi-proxy";\nconst bytes: bigint = (await createCsiProxy().disk.getDiskStats({ diskNumber: 1 })).totalBytes;\nconst wrong: string = bytes;\n`;
    writeFileSync(join(project, "typed.mts"), source + imports);
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022", "--types", "node"];
    const types = ["--typeRoots", join(root, "node_modules/@types")];
    const { stdout } = Bun.spawnSync([join(root, "node_modules/.bin/tsc"), ...options, ...types, "typed.mts"], { cwd: project });
    expect(String(stdout).trim()).toBe("typed.mts(3,7): error TS2322: Type 'bigint' is not assignable to type 'string'.");
  });
});

test("an import of what is no dependency is noticed", () => {
  const library = { name: "@csi-sidecars/csi", version: "1.2.3", exports: { ".": "./index.ts" } };
  const from = { engines: { node: ">=20" }, dependencies: { yaml: "2.0.0" } };
  expect(publishedManifest(library, from, ["yaml", "@csi-sidecars/base"])).toMatchObject({
    exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
    dependencies: { yaml: "2.0.0", "@csi-sidecars/base": "1.2.3" },
  });
  expect(() => publishedManifest(library, from, ["bun"])).toThrow("@csi-sidecars/csi imports bun, which is no dependency in package.json");
  const module = 'import a from "@b/c/d";\nimport "e/f";\nimport g from "./g.js";\nimport h from "node:fs";\nexport { i } from "i";\n';
  expect(packagesImportedBy(module)).toEqual(["@b/c", "e", "i"]);
});
