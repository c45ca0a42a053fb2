import { expect, test } from "bun:test";
import { createLink, type LinkCalls } from "./create-link.ts";

// Only Windows knows links to files from links to folders.
test.each<[string, LinkCalls["stat"], string]>([
  ["a folder", async () => ({ isDirectory: () => true }), "dir"],
  ["a file", async () => ({ isDirectory: () => false }), "file"],
  ["nothing", () => Promise.reject(new Error("ENOENT")), "file"],
])("the type of a link to %s", async (_, stat, type) => {
  const made: unknown[] = [];
  const symlink = async (...args: unknown[]) => void made.push(args);
  await createLink("C:\\source", "C:\\link", { stat, symlink });
  expect(made).toEqual([["C:\\source", "C:\\link", type]]);
});
