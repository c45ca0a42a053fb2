import type { Files } from "../files.ts";

/** Files that live in an object; a value that is an Error is what reading it throws. */
export function memoryFiles(content: Record<string, string | Error>): Files {
  return {
    read(path) {
      const found = content[path] ?? Object.assign(new Error("no such file"), { code: "ENOENT" });
      if (found instanceof Error) throw found;
      return found;
    },
  };
}
