import * as fsPromises from "node:fs/promises";
import { systemErrorCode } from "@csi-sidecars/base";
import { isSameTarget, linkTarget } from "./remote-path.ts";

/** The calls of the file system that a link needs. */
export interface LinkCalls {
  symlink(target: string, link: string, type: "dir"): Promise<void>;
  readlink(link: string): Promise<string>;
}

/**
 * Links to a folder of a share; a link that is right already stays. The type is told: a share that cannot be looked at would become a
 * link to a file, which containers may not enter.
 */
export async function linkToShare(remotePath: string, link: string, calls: LinkCalls = fsPromises): Promise<void> {
  const target = linkTarget(remotePath);
  try {
    await calls.symlink(target, link, "dir");
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error;
    // What is there may be no link at all.
    const present = await calls.readlink(link).catch(() => undefined);
    if (present === undefined || !isSameTarget(present, target)) throw error;
  }
}
