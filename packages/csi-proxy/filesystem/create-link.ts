import * as fsPromises from "node:fs/promises";
import { stoppedCall } from "../call-deadline.ts";
import { isMissing } from "./file-error.ts";

/** The calls of the file system that a link needs. */
export interface LinkCalls {
  stat(path: string): Promise<{ isDirectory(): boolean }>;
  symlink(source: string, link: string, type: "dir" | "file"): Promise<void>;
}

/**
 * Links to a file or a folder, which are links of different types to Windows. What is missing counts as a file, as in Go. Of a share that
 * is away nobody knows what it is: that is an error, since containers cannot enter a folder by a link to a file.
 */
export async function createLink(
  source: string,
  link: string,
  signal: AbortSignal | undefined,
  calls: LinkCalls = fsPromises,
): Promise<void> {
  const isFolder = await calls.stat(source).then(
    (entry) => entry.isDirectory(),
    (error) => {
      if (!isMissing(error)) throw error;
      return false;
    },
  );
  // A share that is gone holds up `stat` for a minute: by then somebody else may have been told that there is no link.
  if (signal?.aborted) throw stoppedCall("making a link", signal.reason);
  await calls.symlink(source, link, isFolder ? "dir" : "file");
}
