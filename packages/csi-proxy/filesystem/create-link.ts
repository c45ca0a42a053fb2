import * as fsPromises from "node:fs/promises";

/** The calls of the file system that a link needs. */
export interface LinkCalls {
  stat(path: string): Promise<{ isDirectory(): boolean }>;
  symlink(source: string, link: string, type: "dir" | "file"): Promise<void>;
}

/** Links to a file or a folder, which are links of different types to Windows. What is missing counts as a file, as in Go. */
export async function createLink(source: string, link: string, calls: LinkCalls = fsPromises): Promise<void> {
  const isFolder = await calls.stat(source).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  await calls.symlink(source, link, isFolder ? "dir" : "file");
}
