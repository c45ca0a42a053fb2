import { readFile } from "node:fs/promises";

/** The mount points in the text of `/proc/self/mountinfo`; comparing device numbers would not find bind mounts. */
export function mountPoints(mountinfo: string): Set<string> {
  const points = new Set<string>();
  for (const line of mountinfo.split("\n")) {
    const point = line.split(" ")[4];
    if (point !== undefined) points.add(decode(point));
  }
  return points;
}

/** The mount points of this process. */
export async function ownMountPoints(): Promise<Set<string>> {
  return mountPoints(await readFile("/proc/self/mountinfo", "utf8"));
}

/** Spaces, tabs, newlines and backslashes are written in octal: `\040`. */
const decode = (text: string) => text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
