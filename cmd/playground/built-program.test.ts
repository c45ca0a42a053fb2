import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtProgram } from "./built-program.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "built-program-"));
  for (const folder of ["cmd/csi-sidecars", "components", "packages/base", "packages/csi", "packages/host", "packages/kube", "tools/build"])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "package-lock.json"), "{}");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const build = (script: string) => {
  writeFileSync(join(root, "tools/build/build.ts"), script);
  return builtProgram(root, () => {}, new AbortController().signal);
};

test("a build that ends well is told by its program", async () => {
  expect(await build("")).toBe(join(root, "dist/csi-sidecars"));
});

test("what the build complained about is told", async () => {
  await expect(build('console.error("no such module"); process.exit(1);')).rejects.toThrow("npm run build failed:\nno such module");
});

test.each(["SIGINT", "SIGTERM"])(
  "a terminal's Ctrl-C may end the build before it reaches us: %s is no failure of the build",
  async (name) => {
    const ended = build(`process.kill(process.pid, "${name}"); await new Promise(() => setInterval(() => {}, 1000));`);
    await expect(ended).rejects.toMatchObject({ message: "interrupted while building", exitCode: 130 });
  },
);
