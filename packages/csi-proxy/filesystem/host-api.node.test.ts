import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@csi-sidecars/base/testing";
import { RecordedExecutor, type RecordedReply } from "../powershell/recorded-executor.ts";
import { Filesystem } from "./filesystem.ts";
import { nodeFilesystemHostApi } from "./host-api.node.ts";

const volume = "\\\\?\\Volume{452e318a-5cde-421e-9831-b9853c521012}\\";
const [mountPointTag, symlinkTag, deduplicatedTag] = [0xa0000003, 0xa000000c, 0x80000013];

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "host-api-"));
  mkdirSync(join(root, "C/data/folder"), { recursive: true });
  writeFileSync(join(root, "C/data/file"), "");
  writeFileSync(join(root, "C/data/folder/precious"), "");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const reparse = (path: string, tag: number, target: string): RecordedReply => ({
  op: "fs.reparseInfo",
  params: { linkpath: path },
  reply: { ok: true, data: { exists: true, isReparsePoint: true, tag, target } },
});
const plain = (path: string): RecordedReply => ({
  op: "fs.reparseInfo",
  params: { linkpath: path },
  reply: { ok: true, data: { exists: true, isReparsePoint: false } },
});
const valid = (path: string, valid: boolean): RecordedReply => ({
  op: "fs.testPath",
  params: { remotepath: path },
  reply: { ok: true, data: { valid } },
});
function host(...replies: RecordedReply[]) {
  const executor = new RecordedExecutor(replies);
  return { api: nodeFilesystemHostApi(executor, { hostRoot: root }), calls: executor.calls };
}
const inC = (path: string) => readdirSync(join(root, "C", path)).sort();

describe("pathExists", () => {
  test.each([
    ["C:\\data\\file", true],
    ["c:\\data", true],
    ["C:\\data\\missing", false],
    ["C:\\data\\file\\below", false],
    ["D:\\data", false],
  ])("%s: %p", async (path, exists) => {
    const { api, calls } = host();
    expect(await api.pathExists(path)).toBe(exists);
    expect(calls).toEqual([]);
  });

  test("a link exists whether it leads anywhere or not", async () => {
    symlinkSync(join(root, "nowhere"), join(root, "C/link"));
    expect(await host().api.pathExists("C:\\link")).toBe(true);
  });

  test("NUL is an error", async () => {
    await expect(host().api.pathExists("C:\\a\0b")).rejects.toMatchObject({ code: "InvalidArgument" });
  });
});

describe("pathValid", () => {
  test.each([
    ["c:", true],
    ["invalid-remote-path", false],
  ])("Windows knows whether %s is one", async (path, answer) => {
    const { api, calls } = host(valid(path, answer));
    expect(await api.pathValid(path)).toBe(answer);
    expect(calls).toEqual([{ op: "fs.testPath", params: { remotepath: path } }]);
  });

  test("NUL is an error", async () => {
    await expect(host().api.pathValid("c:\0")).rejects.toMatchObject({ code: "InvalidArgument" });
  });
});

describe("mkdir", () => {
  test("creates parents, and is content with what is there", async () => {
    const { api } = host();
    for (let i = 0; i < 2; i++) await api.mkdir("D:\\new\\folder");
    expect(lstatSync(join(root, "D/new/folder")).isDirectory()).toBe(true);
  });

  test("does not replace a file; the error has the path of Windows", async () => {
    await expect(host().api.mkdir("C:\\data\\file")).rejects.toMatchObject({
      code: "AlreadyExists",
      message: expect.stringMatching(/^mkdir C:\\data\\file: EEXIST: [\w ]+$/),
    });
  });
});

describe("rmdir", () => {
  test("without force removes what is empty, and asks nothing", async () => {
    const { api, calls } = host();
    await expect(api.rmdir("C:\\data\\folder", false)).rejects.toMatchObject({ code: "FailedPrecondition" });
    await api.rmdir("C:\\data\\folder\\precious", false);
    await api.rmdir("C:\\data\\folder", false);
    expect(inC("data")).toEqual(["file"]);
    await expect(api.rmdir("C:\\data\\folder", false)).rejects.toMatchObject({
      code: "NotFound",
      message: "remove C:\\data\\folder: ENOENT: no such file or directory: not found",
    });
    expect(calls).toEqual([]);
  });

  test("with force removes a folder with contents", async () => {
    const { api, calls } = host(plain("C:\\data"));
    await api.rmdir("C:\\data\\", true);
    expect(inC("")).toEqual([]);
    expect(calls).toEqual([{ op: "fs.reparseInfo", params: { linkpath: "C:\\data" } }]);
  });

  test("with force is content with nothing, and asks nothing about files and links", async () => {
    symlinkSync(join(root, "C/data/folder"), join(root, "C/link"), "dir");
    const { api, calls } = host();
    for (const path of ["C:\\missing", "D:\\missing\\too", "C:\\data\\file", "C:\\link\\"]) await api.rmdir(path, true);
    expect(inC("")).toEqual(["data"]);
    expect(inC("data/folder")).toEqual(["precious"]);
    expect(calls).toEqual([]);
  });

  test.each([
    ["a mount point", mountPointTag, volume],
    ["a junction", mountPointTag, "\\??\\D:\\data"],
    ["a link that the runtime takes for a folder", symlinkTag, "D:\\data"],
  ])("with force does not touch what is behind %s", async (_, tag, target) => {
    const { api } = host(reparse("C:\\data\\folder", tag, target));
    await expect(api.rmdir("C:\\data\\folder", true)).rejects.toMatchObject({ code: "FailedPrecondition" });
    expect(inC("data/folder")).toEqual(["precious"]);
    rmSync(join(root, "C/data/folder/precious"));
    await api.rmdir("C:\\data\\folder", true);
    expect(inC("data")).toEqual(["file"]);
  });

  test("with force removes folders whose reparse point leads nowhere else", async () => {
    await host(reparse("C:\\data", deduplicatedTag, "")).api.rmdir("C:\\data", true);
    expect(inC("")).toEqual([]);
  });

  test.each<[string, RecordedReply["reply"]]>([
    ["fails", { ok: false, error: { message: "odd" } }],
    ["has no answer", { ok: true, data: null }],
    ["contradicts", { ok: true, data: { exists: false } }],
    ["does not know the tag", { ok: true, data: { exists: true, isReparsePoint: true } }],
    ["cannot be reached", new Error("no PowerShell")],
  ])("with force removes nothing when the question for a mount point %s", async (_, reply) => {
    await expect(host({ op: "fs.reparseInfo", reply }).api.rmdir("C:\\data", true)).rejects.toMatchObject({ name: "CsiProxyError" });
    expect(inC("data")).toEqual(["file", "folder"]);
  });

  test("with force removes no drive", async () => {
    await expect(host().api.rmdir("C:\\", true)).rejects.toMatchObject({ code: "InvalidArgument" });
    expect(inC("")).toEqual(["data"]);
  });
});

describe("rmdirContents", () => {
  test("empties a folder, and leaves what its links lead to", async () => {
    symlinkSync(join(root, "C/data/file"), join(root, "C/data/folder/link"));
    const { api, calls } = host();
    await api.rmdirContents("C:\\data\\folder");
    expect(inC("data")).toEqual(["file", "folder"]);
    expect(inC("data/folder")).toEqual([]);
    expect(calls).toEqual([]);
  });

  test("needs a folder", async () => {
    await expect(host().api.rmdirContents("C:\\missing")).rejects.toMatchObject({ code: "NotFound" });
  });
});

describe("createSymlink", () => {
  test("links to files, folders and what is missing; never replaces anything", async () => {
    const { api } = host();
    for (const source of ["file", "folder", "missing"]) {
      await api.createSymlink(`C:\\data\\${source}`, `C:\\to ${source}`);
      expect(readlinkSync(join(root, "C", `to ${source}`))).toBe(join(root, "C/data", source));
    }
    await expect(api.createSymlink("C:\\data\\file", "C:\\to file")).rejects.toMatchObject({
      code: "AlreadyExists",
      message: expect.stringMatching(/^symlink C:\\to file: EEXIST: [\w ]+$/),
    });
  });
});

describe("isSymlink", () => {
  test("is true for a link that leads to something, without a question", async () => {
    const { api, calls } = host();
    symlinkSync(join(root, "C/data/file"), join(root, "C/to file"));
    symlinkSync("data/folder", join(root, "C/to folder"), "dir");
    symlinkSync("C:\\data", join(root, "C/of Windows"), "dir");
    symlinkSync("data/missing", join(root, "C/dangling"));
    const answers = await Promise.all(["to file", "to folder", "of Windows", "dangling"].map((name) => api.isSymlink(`C:\\${name}`)));
    expect(answers).toEqual([true, true, true, false]);
    expect(await api.isSymlink("C:\\data\\file")).toBe(false);
    expect(calls).toEqual([]);
  });

  test.each<[string, RecordedReply[], boolean]>([
    ["a plain folder is none", [plain("C:\\data")], false],
    ["a deduplicated folder is none", [reparse("C:\\data", deduplicatedTag, "")], false],
    ["a mount point is one", [reparse("C:\\data", mountPointTag, volume), valid(volume, true)], true],
    ["in any form of its target", [reparse("C:\\data", mountPointTag, volume.slice(4)), valid(volume, true)], true],
    ["a mount point whose volume is gone is none", [reparse("C:\\data", mountPointTag, volume), valid(volume, false)], false],
    ["a junction is one", [reparse("C:\\data", mountPointTag, "\\??\\C:\\data\\folder")], true],
    ["a junction to nothing is none", [reparse("C:\\data", mountPointTag, "\\??\\C:\\missing")], false],
  ])("%s", async (_, replies, isSymlink) => {
    const { api, calls } = host(...replies);
    expect(await api.isSymlink("C:\\data")).toBe(isSymlink);
    expect(calls.length).toBe(replies.length);
  });

  test.each([["C:\\missing"], ["relative"], ["/no/such/path"]])("%s is not there", async (path) => {
    await expect(host().api.isSymlink(path)).rejects.toMatchObject({
      code: "NotFound",
      message: `lstat ${path}: ENOENT: no such file or directory: not found`,
    });
  });
});

test("off Windows all paths need a host root", async () => {
  const api = nodeFilesystemHostApi(new RecordedExecutor([]), { platform: "linux" });
  const calls = [
    () => api.pathExists("C:\\a"),
    () => api.mkdir("C:\\a"),
    () => api.rmdir("C:\\a", true),
    () => api.rmdir("C:\\a", false),
    () => api.rmdirContents("C:\\a"),
    () => api.createSymlink("C:\\a", "C:\\b"),
    () => api.isSymlink("C:\\a"),
  ];
  for (const call of calls) await expect(call()).rejects.toThrow(/^--dev-host-root is required on this platform$/);
});

test("an aborted call rejects, also while the file system is busy", async () => {
  const abort = new AbortController();
  const { api } = host({ op: "fs.reparseInfo", reply: new Promise(() => {}) });
  const removal = api.rmdir("C:\\data", true, { signal: abort.signal });
  abort.abort();
  await expect(removal).rejects.toMatchObject({ code: "Aborted" });
  await expect(api.mkdir("C:\\new", { signal: abort.signal })).rejects.toMatchObject({
    code: "Aborted",
    message: "mkdir C:\\new: aborted",
  });
  expect(inC("")).toEqual(["data"]);
});

test("an aborted call makes no link behind its caller's back", async () => {
  const abort = new AbortController();
  const { api } = host();
  const link = api.createSymlink("C:\\data\\file", "C:\\late", { signal: abort.signal });
  abort.abort();
  await expect(link).rejects.toMatchObject({ code: "Aborted", message: "symlink C:\\late: aborted" });
  // What is asked of the file system later has its answer later.
  for (const name of ["one", "two", "three"]) await api.createSymlink("C:\\data\\file", `C:\\${name}`);
  expect(inC("")).toEqual(["data", "one", "three", "two"]);
});

test("the time limit of a request is that of the file system as well", async () => {
  const clock = new FakeClock();
  const executor = new RecordedExecutor([{ op: "fs.reparseInfo", reply: new Promise(() => {}) }]);
  const filesystem = new Filesystem(nodeFilesystemHostApi(executor, { hostRoot: root }), { clock });
  const removal = filesystem.rmdir({ path: "C:\\data", force: true }, { timeoutMs: 1_000 });
  const outcome = removal.catch((error) => error);
  await clock.advance(1_000);
  expect(await outcome).toMatchObject({ code: "DeadlineExceeded", message: "remove C:\\data: timed out after 1000 ms" });
  expect(inC("data")).toEqual(["file", "folder"]);
});
