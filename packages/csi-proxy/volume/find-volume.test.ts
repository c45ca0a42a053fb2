import { describe, expect, test } from "bun:test";
import type { CsiProxyError } from "../csi-proxy-error.ts";
import type { PathInfo } from "../powershell/reparse-info.ts";
import { closestVolume, mountedVolume, type VolumeLookup } from "./find-volume.ts";

const id = (letter: string) => `\\\\?\\Volume{${letter.repeat(8)}-0000-0000-0000-000000000000}\\`;
const volume = (letter: string): PathInfo => ({ kind: "volume", volumeId: id(letter) });
const link = (target: string): PathInfo => ({ kind: "link", target });
const plain: PathInfo = { kind: "plain" };

/** Everything but these paths is missing; drive C is volume c. */
function lookup(paths: Readonly<Record<string, PathInfo>>): VolumeLookup & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async pathInfo(path) {
      asked.push(path);
      return new Map(Object.entries(paths)).get(path) ?? { kind: "missing" };
    },
    async volumeOfDrive(letter) {
      asked.push(letter);
      return id(letter.toLowerCase());
    },
  };
}

const failure = (call: Promise<unknown>): Promise<CsiProxyError> =>
  call.then(
    () => undefined!,
    (error) => error,
  );

describe("mountedVolume", () => {
  test.each<[string, Readonly<Record<string, PathInfo>>, string]>([
    ["a mount point", { "C:\\m": volume("a") }, id("a")],
    ["a link to a mount point", { "C:\\m": link("C:\\n"), "C:\\n": volume("a") }, id("a")],
    ["a link to a link", { "C:\\m": link("C:\\n"), "C:\\n": link("C:\\o"), "C:\\o": volume("b") }, id("b")],
  ])("%s", async (_, paths, expected) => {
    const host = lookup(paths);
    expect(await mountedVolume(host, "C:\\m")).toBe(expected);
    expect(host.asked).toEqual(Object.keys(paths));
  });

  test.each<[string, Readonly<Record<string, PathInfo>>]>([
    ["an ordinary directory", { "C:\\m": plain }],
    ["a link to an ordinary directory", { "C:\\m": link("C:\\n"), "C:\\n": plain }],
  ])("%s is not a mounted folder, in the words of both of Windows' interfaces", async (_, paths) => {
    const { code, win32, message } = await failure(mountedVolume(lookup(paths), "C:\\m"));
    expect([code, win32]).toEqual(["FailedPrecondition", 4390]);
    expect(message).toContain("not a mounted folder");
    expect(message).toContain("(Get-Item -Path $Env:mountpath).Target, output: , error: <nil>");
  });

  test.each<[string, Readonly<Record<string, PathInfo>>]>([
    ["a path that is not there", {}],
    ["a link to nowhere", { "C:\\m": link("C:\\n") }],
  ])("%s does not exist", async (_, paths) => {
    const { code, message } = await failure(mountedVolume(lookup(paths), "C:\\m"));
    expect([code, message]).toEqual(["NotFound", expect.stringContaining("because it does not exist")]);
    expect(message).toContain("not found");
  });

  test("links in a circle end after 256 hops", async () => {
    const host = lookup({ "C:\\m": link("C:\\n"), "C:\\n": link("C:\\m") });
    const { message, win32 } = await failure(mountedVolume(host, "C:\\m"));
    expect([message, win32]).toEqual([expect.stringContaining("maximum recursion reached"), undefined]);
    expect(host.asked).toHaveLength(256);
  });
});

describe("closestVolume", () => {
  test.each<[string, string, Readonly<Record<string, PathInfo>>, string, string[]]>([
    ["the drive", "C:\\", { "C:\\": plain }, id("c"), ["C:\\", "C"]],
    [
      "a directory below the drive",
      "C:\\a\\b",
      { "C:\\a\\b": plain, "C:\\a": plain, "C:\\": plain },
      id("c"),
      ["C:\\a\\b", "C:\\a", "C:\\", "C"],
    ],
    ["a mount point above", "C:\\m\\b", { "C:\\m\\b": plain, "C:\\m": volume("a") }, id("a"), ["C:\\m\\b", "C:\\m"]],
    ["the mount point itself", "C:\\m", { "C:\\m": volume("a") }, id("a"), ["C:\\m"]],
    ["through a link", "C:\\l", { "C:\\l": link("D:\\x"), "D:\\x": plain, "D:\\": plain }, id("d"), ["C:\\l", "D:\\x", "D:\\", "D"]],
    ["a long path's prefix", "\\\\?\\C:\\a", { "C:\\a": plain, "C:\\": plain }, id("c"), ["C:\\a", "C:\\", "C"]],
    ["a link into a volume", "C:\\l", { "C:\\l": link(`${id("e")}x`), [`${id("e")}x`]: plain }, id("e"), ["C:\\l", `${id("e")}x`]],
  ])("%s", async (_, path, paths, expected, asked) => {
    const host = lookup(paths);
    expect(await closestVolume(host, path)).toBe(expected);
    expect(host.asked).toEqual(asked);
  });

  const context = (path: string) => `error getting the closest volume for the path=${path}, err=`;

  test("a path that is not there", async () => {
    const { code, message } = await failure(closestVolume(lookup({}), "C:\\m"));
    expect([code, message]).toEqual(["NotFound", `${context("C:\\m")}path C:\\m not found`]);
  });

  test("links in a circle", async () => {
    const host = lookup({ "C:\\m": link("C:\\m") });
    expect((await failure(closestVolume(host, "C:\\m"))).message).toBe(
      `${context("C:\\m")}failed to find the closest volume for path=C:\\m`,
    );
    expect(host.asked).toHaveLength(256);
  });

  test("a share has no drive letter", async () => {
    const host = lookup({ "\\\\server\\share\\x": plain, "\\\\server\\share\\": plain });
    expect((await failure(closestVolume(host, "\\\\server\\share\\x"))).message).toBe(
      `${context("\\\\server\\share\\x")}the path \\\\server\\share\\ is not a valid drive letter`,
    );
  });
});
