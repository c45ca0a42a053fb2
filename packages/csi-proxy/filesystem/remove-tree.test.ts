import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  type BigIntStats,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import * as fsPromises from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FileCalls, removeContents, removeOne, removeTree } from "./remove-tree.ts";

let root = "";
const at = (...names: string[]) => join(root, ...names);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "remove-tree-"));
  mkdirSync(at("outside", "folder"), { recursive: true });
  writeFileSync(at("outside", "folder", "precious"), "data");
  mkdirSync(at("tree", "deep", "deeper"), { recursive: true });
  writeFileSync(at("tree", "deep", "deeper", "file"), "");
  writeFileSync(at("tree", ".hidden"), "");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const namesIn = (...names: string[]) => readdirSync(at(...names)).sort();
const isPreciousThere = () => readFileSync(at("outside", "folder", "precious"), "utf8") === "data";

/** The real calls, except that what `name` leads to is another device, as `lstat` or only `stat` sees it. */
function mounted(name: string, seenBy: "lstat" | "stat"): FileCalls & { readonly listed: string[] } {
  const listed: string[] = [];
  const elsewhere = async (path: string, call: Promise<BigIntStats>) =>
    path.endsWith(name) ? Object.assign(await call, { dev: (await call).dev + 1n }) : call;
  return {
    lstat: (path, options) => (seenBy === "lstat" ? elsewhere(path, fsPromises.lstat(path, options)) : fsPromises.lstat(path, options)),
    stat: (path, options) => elsewhere(path, fsPromises.stat(path, options)),
    readdir: (path) => {
      listed.push(path);
      return fsPromises.readdir(path);
    },
    rmdir: fsPromises.rmdir,
    unlink: fsPromises.unlink,
    listed,
  };
}

describe("removeTree", () => {
  test("removes a folder with all that is in it", async () => {
    await removeTree(at("tree"));
    expect(namesIn()).toEqual(["outside"]);
  });

  test("removes links, not what they lead to", async () => {
    symlinkSync(at("outside", "folder"), at("tree", "deep", "to folder"), "dir");
    symlinkSync(at("outside", "folder", "precious"), at("tree", "to file"));
    symlinkSync(at("nowhere"), at("tree", "dangling"));
    await removeTree(at("tree"));
    expect(existsSync(at("tree"))).toBe(false);
    expect(isPreciousThere()).toBe(true);
  });

  test("removes a link that it is given", async () => {
    symlinkSync(at("outside", "folder"), at("link"), "dir");
    await removeTree(at("link"));
    expect(existsSync(at("link"))).toBe(false);
    expect(isPreciousThere()).toBe(true);
  });

  test.each(["lstat", "stat"] as const)("does not go to another device that %s sees, and fails", async (seenBy) => {
    const calls = mounted("deeper", seenBy);
    await expect(removeTree(at("tree"), undefined, calls)).rejects.toMatchObject({ code: "ENOTEMPTY" });
    expect(calls.listed).not.toContain(at("tree", "deep", "deeper"));
    expect(namesIn("tree", "deep", "deeper")).toEqual(["file"]);
  });

  test("does not go to another device that is all there is to remove", async () => {
    const calls = mounted("tree", "lstat");
    await expect(removeTree(at("tree"), undefined, calls)).rejects.toMatchObject({ code: "ENOTEMPTY" });
    expect(namesIn("tree")).toEqual([".hidden", "deep"]);
  });

  test("removes the way to another device where that takes no more", async () => {
    rmSync(at("tree", "deep", "deeper", "file"));
    const calls = mounted("deeper", "lstat");
    await removeTree(at("tree"), undefined, calls);
    expect(calls.listed).not.toContain(at("tree", "deep", "deeper"));
    expect(existsSync(at("tree"))).toBe(false);
  });

  test("what somebody else removes meanwhile is removed", async () => {
    const calls: FileCalls = { ...mounted("", "stat"), ...fsPromises, readdir: async () => ["gone"] };
    rmSync(at("tree"), { recursive: true });
    mkdirSync(at("tree"));
    await removeTree(at("tree"), undefined, calls);
    expect(existsSync(at("tree"))).toBe(false);
  });

  test("stops between two entries when it is told to", async () => {
    const abort = new AbortController();
    const calls: FileCalls = {
      ...fsPromises,
      readdir: async (path) => {
        abort.abort();
        return fsPromises.readdir(path);
      },
    };
    await expect(removeTree(at("tree"), abort.signal, calls)).rejects.toMatchObject({ code: "Aborted" });
    expect(namesIn("tree")).toEqual([".hidden", "deep"]);
  });
});

describe("removeContents", () => {
  test("keeps the folder, and follows it where it is a link, but no link in it", async () => {
    symlinkSync(at("outside", "folder", "precious"), at("tree", "to file"));
    symlinkSync(at("outside", "folder"), at("tree", "to folder"), "dir");
    symlinkSync(at("tree"), at("link"), "dir");
    await removeContents(at("link"));
    expect(namesIn("tree")).toEqual([]);
    expect(lstatSync(at("link")).isSymbolicLink()).toBe(true);
    expect(isPreciousThere()).toBe(true);
  });

  test("does not go to another device", async () => {
    const calls = mounted("deep", "lstat");
    await expect(removeContents(at("tree"), undefined, calls)).rejects.toMatchObject({ code: "ENOTEMPTY" });
    expect(namesIn("tree", "deep")).toEqual(["deeper"]);
  });

  test("needs a folder", async () => {
    await expect(removeContents(at("missing"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("removeOne", () => {
  test("removes a file, a link, an empty folder", async () => {
    symlinkSync(at("outside", "folder"), at("link"), "dir");
    mkdirSync(at("empty"));
    for (const name of ["link", "empty", join("tree", ".hidden")]) {
      await removeOne(at(name));
      expect(existsSync(at(name))).toBe(false);
    }
    expect(isPreciousThere()).toBe(true);
  });

  test("removes nothing else", async () => {
    await expect(removeOne(at("tree"))).rejects.toMatchObject({ code: "ENOTEMPTY" });
    await expect(removeOne(at("missing"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("removes the link to a folder as a folder where the system wants that", async () => {
    symlinkSync(at("outside", "folder"), at("link"), "dir");
    const refused = Object.assign(new Error("refused"), { code: "EPERM" });
    const removed: string[] = [];
    const windows: FileCalls = {
      ...fsPromises,
      unlink: () => Promise.reject(refused),
      rmdir: async (path) => {
        removed.push(path);
      },
    };
    await removeOne(at("link"), windows);
    expect(removed).toEqual([at("link")]);
    await expect(removeOne(at("link"), { ...windows, rmdir: () => Promise.reject(new Error("no folder")) })).rejects.toBe(refused);
  });
});
