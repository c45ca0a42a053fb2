import { describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectDriver, GrpcError } from "@csi-sidecars/csi";
import { isSamePath, nodeHostFiles, windowsPath } from "./host-files.ts";
import { readSettings } from "./settings.ts";

async function folder() {
  const path = await mkdtemp(join(tmpdir(), "smb-program-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

test("the program serves its socket, says what it cannot do on this platform, and ends with a signal", async () => {
  await using dir = await folder();
  const socket = join(dir.path, "csi.sock");
  const args = [join(import.meta.dirname, "main.ts"), `--endpoint=unix://${socket}`, "--node-id=node-1"];
  const child = Bun.spawn([process.execPath, ...args], { stderr: "pipe" });
  try {
    using connection = await connectDriver({ address: socket });
    expect(await connection.driver.identity.getPluginInfo({})).toMatchObject({ name: "smb.example.com" });
    expect(await connection.driver.node.nodeGetInfo({})).toMatchObject({ nodeId: "node-1" });
    const paths = { volumeId: "a", stagingTargetPath: "C:\\a", targetPath: "C:\\b" };
    const error = await connection.driver.node.nodeUnpublishVolume(paths).catch((error: unknown) => error);
    expect(error instanceof GrpcError && error.codeName).toBe("FailedPrecondition");
  } finally {
    child.kill("SIGTERM");
  }
  expect(await child.exited).toBe(0);
  expect(await new Response(child.stderr).text()).toContain('"msg":"Stopping","signal":"SIGTERM"');
});

describe("a command line", () => {
  const node = { NODE_NAME: "node-1" };
  test.each([
    [["--endpoint=unix:///csi.sock"], node, undefined],
    [["--endpoint=unix:///csi.sock"], {}, "--node-id is required"],
    [[], node, "--endpoint is required"],
    [["--endpoint=unix:///csi.sock", "--v=loud"], node, "--v=loud"],
    [["--endpoint=unix:///csi.sock", "--driver-name=a b"], node, "--driver-name=a b"],
    [["--endpont=unix:///csi.sock"], node, "--endpont"],
  ])("%p", (args, env, problem) => {
    const read = readSettings(args, env);
    if (problem === undefined) expect(read.settings).toMatchObject({ nodeId: "node-1", requirePrivacy: true });
    else expect(read.problem).toContain(problem);
  });
});

test("paths are read as Windows reads them", () => {
  expect(windowsPath("path", "/var/lib/kubelet")).toBe("c:\\var\\lib\\kubelet");
  expect(windowsPath("path", "D:/data")).toBe("D:\\data");
  expect(isSamePath("\\\\?\\C:\\Data\\", "c:\\data")).toBe(true);
  expect(isSamePath("\\\\HOST\\share\\a\\", "\\\\host\\Share\\a")).toBe(true);
  expect(isSamePath("C:\\data", "C:\\data2")).toBe(false);
});

test("what is no link, and what is not there, is told from what cannot be read", async () => {
  await using dir = await folder();
  const path = (name: string) => join(dir.path, name);
  await writeFile(path("file"), "");
  await mkdir(path("folder"));
  await symlink("\\\\host\\share\\", path("link"));
  expect(await nodeHostFiles.readlink(path("link"))).toBe("\\\\host\\share\\");
  for (const name of ["file", "folder", "none", "file/below"]) expect(await nodeHostFiles.readlink(path(name))).toBeUndefined();
  expect([...(await nodeHostFiles.list(dir.path))].sort()).toEqual(["file", "folder", "link"]);
  expect(await nodeHostFiles.list(path("none"))).toEqual([]);
  await symlink(path("loop"), path("loop"));
  await expect(nodeHostFiles.list(path("loop"))).rejects.toThrow("ELOOP");
  const { total, used, available } = await nodeHostFiles.usage(dir.path);
  expect(total >= used + available && available > 0n).toBe(true);
});
