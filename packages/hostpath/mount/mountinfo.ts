import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** What is mounted somewhere. */
export interface Mount {
  readonly readOnly: boolean;
}

/** The mounts of a process by their mount points. */
export type Mounts = ReadonlyMap<string, Mount>;

/** Reads the text of `/proc/self/mountinfo`; comparing device numbers would not find bind mounts. The last of several at a point is the visible one. */
export function parseMounts(mountinfo: string): Map<string, Mount> {
  const mounts = new Map<string, Mount>();
  for (const line of mountinfo.split("\n")) {
    const [, , , , point, options] = line.split(" ");
    if (point !== undefined && options !== undefined) mounts.set(decode(point), { readOnly: options.split(",").includes("ro") });
  }
  return mounts;
}

/** The mounts of this process. */
export async function ownMounts(): Promise<Mounts> {
  return parseMounts(await readFile("/proc/self/mountinfo", "utf8"));
}

/** The name by which the kernel would list a mount at a path: without links on the way, which a target itself may be. */
export async function mountPointOf(path: string): Promise<string> {
  const parent = await realpath(dirname(path)).catch(() => dirname(path));
  return join(parent, basename(path));
}

/** Spaces, tabs, newlines and backslashes are written in octal: `\040`. */
const decode = (text: string) => text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
