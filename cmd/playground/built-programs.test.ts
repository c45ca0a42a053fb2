import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { builtPrograms } from "./built-programs.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "built-program-"));
  for (const folder of [
    "cmd/csi-sidecars",
    "cmd/snapshot-controller",
    "components",
    "packages/base",
    "packages/csi",
    "packages/host",
    "packages/kube",
    "tools/build",
  ])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "package-lock.json"), "{}");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const build = (script: string) => {
  writeFileSync(join(root, "tools/build/build.ts"), script);
  return builtPrograms(root, () => {}, new AbortController().signal);
};

test.each([
  ["cmd/csi-sidecars/main.ts", true],
  ["cmd/snapshot-controller/main.ts", true],
  ["components/attacher/component.ts", true],
  ["packages/diagnose/index.ts", true],
  ["packages/testcluster/index.ts", false],
  ["packages/kube/client.test.ts", false],
])("after a change to %s it is built: %p", async (file, built) => {
  const time = (path: string, seconds: number) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), "");
    utimesSync(join(root, path), seconds, seconds);
  };
  time("package-lock.json", 100);
  time("dist/csi-sidecars", 200);
  time("dist/snapshot-controller", 200);
  time(file, 300);
  const printed: string[] = [];
  writeFileSync(join(root, "tools/build/build.ts"), "");
  await builtPrograms(root, (line) => printed.push(line), new AbortController().signal);
  expect(printed).toEqual(built ? ["Building dist/csi-sidecars and dist/snapshot-controller ..."] : []);
});

test("a build that succeeds gives the paths of its programs", async () => {
  expect(await build("")).toEqual({
    sidecars: join(root, "dist/csi-sidecars"),
    snapshotController: join(root, "dist/snapshot-controller"),
  });
});

test("the errors of a failed build are shown", async () => {
  await expect(build('console.error("no such module"); process.exit(1);')).rejects.toThrow("npm run build failed:\nno such module");
});

test.each(["SIGINT", "SIGTERM"])("Ctrl-C may end the build before it reaches us: %s is not a failed build", async (name) => {
  const ended = build(`process.kill(process.pid, "${name}"); await new Promise(() => setInterval(() => {}, 1000));`);
  await expect(ended).rejects.toMatchObject({ message: "interrupted while building", exitCode: 130 });
});
