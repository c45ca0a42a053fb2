import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removePodsFolder } from "./pods-folder.ts";

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "pods-"));
});
afterAll(() => rmSync(home, { recursive: true }));

function folderWith(name: string, ...paths: readonly string[]): string {
  const folder = join(home, name);
  for (const path of paths) mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, ".mounts.json"), "[]");
  return folder;
}

test("the folder of pods whose volumes are unmounted is removed", async () => {
  const folder = folderWith("unmounted", "default/app/data", ".staged/pvc-1");
  expect(await removePodsFolder(folder, ".mounts.json")).toBe(true);
  expect(existsSync(folder)).toBe(false);
});

test("a folder that is gone already is no failure", async () => {
  expect(await removePodsFolder(join(home, "absent"), ".mounts.json")).toBe(true);
});

test("a volume that is still mounted keeps all it has, its empty folders too", async () => {
  const folder = folderWith("mounted", "default/app/data/users/empty", "default/other/data");
  expect(await removePodsFolder(folder, ".mounts.json")).toBe(false);
  expect(existsSync(join(folder, "default/app/data/users/empty"))).toBe(true);
  expect(existsSync(join(folder, "default/other"))).toBe(false);
});
