import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCsiProxy } from "../csi-proxy.ts";
import type { ScriptError } from "../powershell/executor.ts";
import { RecordedExecutor } from "../powershell/recorded-executor.ts";
import { NodeVolumes } from "./node-volumes.ts";

const here = import.meta.dirname;
const blocks = readFileSync(join(here, "../README.md"), "utf8")
  .split("```")
  .map((block) => block.replace(/^ts\n/, ""));

test.each(["node-volumes.ts", "try-it.ts"])("the README shows %s", (file) => {
  expect(blocks).toContain(readFileSync(join(here, file), "utf8"));
});

test.each<[string, ScriptError]>([
  ["Windows denies to look", { message: "Access is denied", category: "PermissionDenied", win32: 5 }],
  ["the question fails", { message: "odd" }],
])("the code in the README takes no volume for unmounted because %s", async (_, error) => {
  const executor = new RecordedExecutor([{ op: "fs.reparseInfo", reply: { ok: false, error } }]);
  const unstaged = new NodeVolumes(createCsiProxy({ executor, hostRoot: tmpdir() })).unstage("vol-1", "C:\\staging");
  await expect(unstaged).rejects.toThrow(error.message);
  expect(executor.calls.map(({ op }) => op)).toEqual(["fs.reparseInfo"]);
});

test("the code in the README runs, and leaves nothing behind: stage, publish, expand, unpublish, unstage", () => {
  const TMPDIR = mkdtempSync(join(tmpdir(), "example-"));
  const env = { ...process.env, TMPDIR };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(here, "try-it.ts")], { env, encoding: "utf8", timeout: 20_000 });
  const left = readdirSync(TMPDIR);
  rmSync(TMPDIR, { recursive: true });
  expect({ status, stderr, left }).toEqual({ status: 0, stderr: "", left: [] });
  expect(stdout.trim().split("\n")).toEqual([
    "grown to 21458059264 bytes",
    // stage
    "fs.reparseInfo",
    "disk.list",
    "disk.deviceIds",
    "disk.list",
    "disk.partitions",
    "disk.list",
    "disk.setOnline",
    "volume.list",
    "volume.get",
    "volume.format",
    "volume.addMountPoint",
    // expand; to publish and to unpublish takes no PowerShell
    "disk.rescan",
    "fs.reparseInfo",
    "volume.partition",
    "volume.supportedSize",
    "volume.resize",
    "disk.refresh",
    "volume.get",
    // unstage
    "fs.reparseInfo",
    "volume.flush",
    "volume.removeMountPoint",
    "fs.reparseInfo",
    "disk.list",
    "disk.deviceIds",
    "disk.list",
    "disk.setOnline",
  ]);
});
