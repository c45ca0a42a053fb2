import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runtimeFor, type Target } from "./runtime.ts";

const target: Target = {
  name: "linux-toy",
  bunTarget: "bun-linux-toy",
  runtimePackage: "@oven/bun-toy",
  executable: "bun",
  bytecode: true,
};

/** A registry whose `npm pack` answers with an archive of our making. */
let folder: string;
let env: NodeJS.ProcessEnv;
let integrity: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "runtime-"));
  mkdirSync(join(folder, "package/bin"), { recursive: true });
  writeFileSync(join(folder, "package/bin/bun"), "a runtime");
  const archive = join(folder, "toy.tgz");
  Bun.spawnSync(["tar", "-czf", archive, "-C", folder, "package"]);
  integrity = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/npm"), `#!/bin/sh\necho "$3" >> ${folder}/asked\ncp ${archive} "$5"\n`, { mode: 0o755 });
  env = { PATH: `${join(folder, "bin")}:${process.env.PATH}`, XDG_CACHE_HOME: join(folder, "cache") };
});
afterAll(() => rmSync(folder, { recursive: true }));

function lockfile(packages: object): string {
  const root = mkdtempSync(join(folder, "root-"));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages }));
  return root;
}

test("a runtime that is not the lockfile's is refused, and not kept", async () => {
  const root = lockfile({ "node_modules/@oven/bun-toy": { version: "1.2.3", integrity: "sha512-other" } });
  await expect(runtimeFor(target, root, env)).rejects.toThrow(
    `@oven/bun-toy@1.2.3 is ${integrity}, but package-lock.json has sha512-other`,
  );
  expect(readdirSync(join(folder, "cache/csi-sidecars/runtimes"))).toEqual([]);
});

test("the lockfile's runtime is fetched once", async () => {
  const root = lockfile({ "node_modules/@oven/bun-toy": { version: "1.2.4", integrity } });
  const first = await runtimeFor(target, root, env);
  expect(readFileSync(first, "utf8")).toBe("a runtime");
  expect(await runtimeFor(target, root, env)).toBe(first);
  expect(readFileSync(join(folder, "asked"), "utf8").match(/1\.2\.4/g)).toHaveLength(1);
});

test("a runtime that the lockfile does not know is an error with its remedy", async () => {
  await expect(runtimeFor(target, lockfile({}), env)).rejects.toThrow("package-lock.json does not name @oven/bun-toy: run npm install");
});
