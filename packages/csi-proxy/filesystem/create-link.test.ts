import { describe, expect, test } from "bun:test";
import { createLink, type LinkCalls } from "./create-link.ts";

/** File calls, and the links that they have made. */
function fileCalls(stat: LinkCalls["stat"]) {
  const made: unknown[] = [];
  return { made, calls: { stat, symlink: async (...args: unknown[]) => void made.push(args) } };
}

const failure = (code: string) => Object.assign(new Error(`${code}: stat`), { code });

describe("a link", () => {
  // Only Windows knows links to files from links to folders.
  test.each<[string, LinkCalls["stat"], string]>([
    ["a folder", async () => ({ isDirectory: () => true }), "dir"],
    ["a file", async () => ({ isDirectory: () => false }), "file"],
    ["nothing", () => Promise.reject(failure("ENOENT")), "file"],
  ])("has the type of %s", async (_, stat, type) => {
    const { made, calls } = fileCalls(stat);
    await createLink("C:\\source", "C:\\link", undefined, calls);
    expect(made).toEqual([["C:\\source", "C:\\link", type]]);
  });

  test("is not made where nobody can tell what it would lead to", async () => {
    const { made, calls } = fileCalls(() => Promise.reject(failure("ETIMEDOUT")));
    await expect(createLink("C:\\source", "C:\\link", undefined, calls)).rejects.toMatchObject({ code: "ETIMEDOUT" });
    expect(made).toEqual([]);
  });

  test("is not made once its call was aborted, however long the source took to answer", async () => {
    const abort = new AbortController();
    const { made, calls } = fileCalls(async () => {
      abort.abort();
      return { isDirectory: () => true };
    });
    await expect(createLink("C:\\source", "C:\\link", abort.signal, calls)).rejects.toMatchObject({ code: "Aborted" });
    expect(made).toEqual([]);
  });
});
