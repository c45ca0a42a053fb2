import { describe, expect, test } from "bun:test";
import { RecordedExecutor } from "./recorded-executor.ts";
import { absoluteTarget, type PathInfo, pathInfo, withoutPrefix } from "./reparse-info.ts";

const link = "C:\\pods\\1\\mount";
const volume = "\\\\?\\Volume{452e318a-5cde-421e-9831-b9853c521012}\\";
const mountPoint = 2684354563;
const symlink = 2684354572;

describe("pathInfo", () => {
  test.each<[string, unknown, PathInfo]>([
    ["missing", { exists: false }, { kind: "missing" }],
    ["a file or directory", { exists: true, isReparsePoint: false }, { kind: "plain" }],
    [
      "a mount point",
      { exists: true, isReparsePoint: true, tag: mountPoint, target: volume.slice(4) },
      { kind: "volume", volumeId: volume },
    ],
    [
      "its tag as a string",
      { exists: true, isReparsePoint: true, tag: String(mountPoint), target: volume },
      { kind: "volume", volumeId: volume },
    ],
    ["a junction", { exists: true, isReparsePoint: true, tag: mountPoint, target: "\\??\\D:\\data" }, { kind: "link", target: "D:\\data" }],
    ["a symbolic link", { exists: true, isReparsePoint: true, tag: symlink, target: "D:\\data" }, { kind: "link", target: "D:\\data" }],
    ["a relative link", { exists: true, isReparsePoint: true, tag: symlink, target: "..\\2" }, { kind: "link", target: "C:\\pods\\2" }],
    ["a link to a volume", { exists: true, isReparsePoint: true, tag: symlink, target: volume }, { kind: "volume", volumeId: volume }],
    ["a deduplicated file", { exists: true, isReparsePoint: true, tag: 2147483667, target: null }, { kind: "plain" }],
  ])("%s", async (_, data, expected) => {
    const executor = new RecordedExecutor([{ op: "fs.reparseInfo", reply: { ok: true, data } }]);
    expect(await pathInfo(executor, link)).toEqual(expected);
    expect(executor.calls).toEqual([{ op: "fs.reparseInfo", params: { linkpath: link } }]);
  });

  test.each([
    [`${link}\\`, link],
    ["C:\\", "C:\\"],
    ["\\\\server\\share\\", "\\\\server\\share\\"],
  ])("asks for %s as %s", async (path, linkpath) => {
    const executor = new RecordedExecutor([{ op: "fs.reparseInfo", reply: { ok: true, data: { exists: false } } }]);
    await pathInfo(executor, path);
    expect(executor.calls[0]?.params).toEqual({ linkpath });
  });

  test.each<[string, unknown]>([
    ["data is not an object", null],
    ["data.exists is not a boolean", {}],
    ["data.isReparsePoint is not a boolean", { exists: true }],
    ["data.tag is not an unsigned 32-bit integer", { exists: true, isReparsePoint: true, tag: -1 }],
    ["data.target is not a string", { exists: true, isReparsePoint: true, tag: symlink, target: null }],
  ])("%s", async (text, data) => {
    const executor = new RecordedExecutor([{ op: "fs.reparseInfo", reply: { ok: true, data } }]);
    const error = await pathInfo(executor, link).catch((error) => error);
    expect([error.code, error.message, error.op]).toEqual(["Internal", `fs.reparseInfo: malformed answer: ${text}`, "fs.reparseInfo"]);
  });
});

test.each([
  ["D:\\data", "D:\\data"],
  ["\\\\?\\D:\\data", "D:\\data"],
  ["\\??\\D:\\data", "D:\\data"],
  ["\\??\\UNC\\server\\share\\x", "\\\\server\\share\\x"],
  ["\\\\?\\unc\\server\\share", "\\\\server\\share"],
  ["\\\\server\\share", "\\\\server\\share"],
  [`\\??\\${volume.slice(4)}data`, `${volume}data`],
  ["relative", "relative"],
])("withoutPrefix(%s) is %s", (path, expected) => {
  expect(withoutPrefix(path)).toBe(expected);
});

test.each([
  ["other", "C:\\pods\\1\\other"],
  [".\\other", "C:\\pods\\1\\other"],
  ["..\\..\\data", "C:\\data"],
  ["\\data", "C:\\data"],
  ["D:\\data", "D:\\data"],
  ["\\\\server\\share", "\\\\server\\share"],
  ["\\??\\D:\\", "D:\\"],
])("a link to %s leads to %s", (target, expected) => {
  expect(absoluteTarget(link, target)).toBe(expected);
});
