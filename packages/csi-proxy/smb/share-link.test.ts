import { expect, test } from "bun:test";
import { linkToShare } from "./share-link.ts";

// Only Windows knows links to files from links to folders.
test("is a link to a folder, whatever can be seen of the share", async () => {
  const made: unknown[] = [];
  const calls = { symlink: async (...args: unknown[]) => void made.push(args), readlink: async () => "" };
  await linkToShare("\\\\host\\share\\sub", "C:\\mount", calls);
  expect(made).toEqual([["\\\\host\\share\\sub\\", "C:\\mount", "dir"]]);
});
