import { afterEach, beforeEach, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "windows-check-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What windows-check.ps1 reads, of a node whose drives are in a folder. */
function run(call: object): unknown {
  const tool = join(import.meta.dirname, "windows-check-files.ts");
  const hostRoot = join(folder, "drives");
  const env = { ...process.env, WINDOWS_CHECK_CALL: JSON.stringify({ powershell: "/no/powershell", hostRoot, ...call }) };
  const { status, stdout } = spawnSync(process.execPath, [tool], { env, encoding: "utf8" });
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^[ -~]+\n$/)]);
  return JSON.parse(stdout);
}

const path = "C:\\pod [1] ä中";

test("calls the library, and prints its answer in ASCII", () => {
  expect(run({ method: "mkdir", request: { path } })).toEqual({ ok: true, data: {} });
  expect(existsSync(join(folder, "drives/C/pod [1] ä中"))).toBe(true);
  expect(run({ method: "pathExists", request: { path } })).toEqual({ ok: true, data: { exists: true } });
  expect(run({ method: "rmdir", request: { path: `${path}\\missing`, force: false } })).toMatchObject({
    ok: false,
    error: { code: "NotFound", message: expect.stringContaining(path) },
  });
});

test("says so where PowerShell is needed and not there", () => {
  run({ method: "mkdir", request: { path } });
  expect(run({ method: "rmdir", request: { path, force: true } })).toMatchObject({ ok: false, error: { code: "Unavailable" } });
  expect(existsSync(join(folder, "drives/C/pod [1] ä中"))).toBe(true);
});

test("starts a csi-proxy, asks it and ends it", () => {
  const endpoint = join(folder, "csi-proxy-filesystem-v1.sock");
  const flags = [
    `--endpoint-dir=${folder}`,
    `--dev-host-root=${join(folder, "drives")}`,
    "--working-dir=C:\\work",
    "--groups=filesystem/v1",
  ];
  const command = [process.execPath, join(import.meta.dirname, "../cmd/csi-proxy/main.ts"), ...flags];
  const exists = (command: readonly string[]) =>
    run({ method: "pathExists", request: { path: "C:\\work\\file" }, server: { command, endpoint } });
  expect(exists(command)).toEqual({ ok: true, data: { exists: false } });
  expect(exists([...command, "--no-such-flag"])).toMatchObject({ ok: false, error: { message: "Error: csi-proxy ended with code 2" } });
  expect(exists([join(folder, "missing.exe")])).toMatchObject({ ok: false, error: { message: expect.stringContaining("ENOENT") } });
});
