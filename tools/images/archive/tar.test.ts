import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Entry, file, folder, inOrder, link } from "./entry.ts";
import { readTar } from "./read-tar.ts";
import { writeTar } from "./write-tar.ts";

const long = `${"deep/".repeat(30)}file`;
const entries: readonly Entry[] = [
  file("z/last", "last"),
  file(long, "far below"),
  file("a/größe", "not ASCII", 0o755),
  folder("tmp", 0o1777),
  link("a/link", "../z/last"),
  link("a/long", long),
  file("a/block", "x".repeat(512)),
];

describe("a tar archive that we write", () => {
  test("is read as it was written, with the folders in between", () => {
    expect(readTar(writeTar(entries, 1_000))).toEqual([...inOrder(entries)]);
  });

  test("does not depend on the order of the entries", () => {
    expect(Buffer.compare(writeTar(entries, 1_000), writeTar(entries.toReversed(), 1_000))).toBe(0);
  });

  test("is understood by tar", () => {
    const { stdout, stderr, status } = spawnSync("tar", ["--numeric-owner", "--full-time", "--utc", "-tvf", "-"], {
      input: writeTar(entries, 1_000),
      env: { ...process.env, LC_ALL: "C.UTF-8" },
      encoding: "utf8",
    });
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    const listed = stdout.trim().split("\n");
    expect(listed).toHaveLength(inOrder(entries).length);
    expect(listed.every((line) => line.includes(" 0/0 ") && line.includes("1970-01-01 00:16:40"))).toBe(true);
    expect(listed.at(-3)).toStartWith("drwxrwxrwt");
    expect(stdout).toContain(` a/link -> ../z/last\n`);
    expect(stdout).toContain(` a/long -> ${long}\n`);
    expect(stdout).toContain(` ${long}\n`);
  });
});

test.each(["gnu", "posix", "ustar"])("an archive that tar writes as %s is read", (format) => {
  const root = mkdtempSync(join(tmpdir(), "tar-"));
  try {
    const deep = `${"deep/".repeat(format === "ustar" ? 25 : 60)}file`;
    mkdirSync(join(root, deep, ".."), { recursive: true });
    writeFileSync(join(root, deep), "far below");
    writeFileSync(join(root, "near"), "near");
    linkSync(join(root, "near"), join(root, "z-hard"));
    symlinkSync("z-hard", join(root, "z-link"));
    const { stdout } = spawnSync("tar", ["--sort=name", `--format=${format}`, "-cf", "-", "-C", root, "."]);
    const read = new Map(readTar(stdout).map((entry) => [entry.path, entry]));
    const text = (entry?: Entry) => entry?.type === "file" && new TextDecoder().decode(entry.content);
    expect(text(read.get(deep))).toBe("far below");
    expect(text(read.get("z-hard"))).toBe("near");
    expect(read.get("z-link")).toEqual(link("z-link", "z-hard"));
    expect(read.get("deep")?.type).toBe("folder");
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("an archive that was cut off is an error", () => {
  const archive = writeTar([file("a", "x".repeat(2_000))], 0);
  expect(() => readTar(archive.subarray(0, 1_500))).toThrow("ends in the middle of a file");
});
