import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, link, mkdir, mkdtemp, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileSystemTime, isWrittenSince } from "./written-since.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "written-since-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A time that is later than everything written so far: file systems count in steps. */
async function laterTime(): Promise<bigint> {
  const before = await fileSystemTime(folder);
  for (;;) {
    const now = await fileSystemTime(folder);
    if (now > before) return now;
  }
}

describe("a volume is written to", () => {
  test.each<[string, (at: (name: string) => string) => Promise<unknown>]>([
    ["when a file grows", (at) => writeFile(at("below/file"), "more", { flag: "a" })],
    [
      "when a file is overwritten and its times are set back",
      async (at) => {
        await writeFile(at("below/file"), "DATA");
        await utimes(at("below/file"), 1, 1);
      },
    ],
    ["when a file is created", (at) => writeFile(at("below/new"), "")],
    ["when a file is removed", (at) => rm(at("below/file"))],
    ["when a folder is removed", (at) => rm(at("below"), { recursive: true })],
    ["when a file is renamed", (at) => rename(at("below/file"), at("below/other"))],
    ["when a mode changes", (at) => chmod(at("below/file"), 0o600)],
    ["when a file gets another name", (at) => link(at("below/file"), at("second"))],
  ])("%s", async (name, change) => {
    const volume = join(folder, name.replaceAll(" ", "-"));
    await mkdir(join(volume, "below"), { recursive: true });
    await writeFile(join(volume, "below", "file"), "data");
    const time = await laterTime();
    expect(await isWrittenSince(volume, time)).toBe(false);
    await change((path) => join(volume, path));
    expect(await isWrittenSince(volume, time)).toBe(true);
    expect(await isWrittenSince(volume, await laterTime())).toBe(false);
  });
});

test("a file is a volume too, and what is not there was not written to", async () => {
  const file = join(folder, "block");
  await writeFile(file, "data");
  const time = await laterTime();
  expect(await isWrittenSince(file, time)).toBe(false);
  await writeFile(file, "more");
  expect(await isWrittenSince(file, time)).toBe(true);
  expect(await isWrittenSince(join(folder, "missing"), time)).toBe(false);
});
