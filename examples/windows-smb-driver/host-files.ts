import { readdir, readFile, readlink, statfs, writeFile } from "node:fs/promises";
import { win32 } from "node:path";
import { systemErrorCode } from "@csi-sidecars/base";
import { requireFields } from "./call-status.ts";

export interface SpaceUsage {
  readonly total: bigint;
  readonly used: bigint;
  readonly available: bigint;
}

/** What the driver asks of the node's files beside the library. Paths are those of Windows. */
export interface HostFiles {
  /** What a link leads to; `undefined` for what is no link, and for nothing. */
  readlink(path: string): Promise<string | undefined>;
  /** The names in a folder; none for one that does not exist. */
  list(path: string): Promise<readonly string[]>;
  /** The text of a file; `undefined` for one that does not exist. */
  read(path: string): Promise<string | undefined>;
  write(path: string, text: string): Promise<void>;
  usage(path: string): Promise<SpaceUsage>;
}

const missing = ["ENOENT", "ENOTDIR"];

/** Node's own file calls. */
export const nodeHostFiles: HostFiles = {
  readlink: (path) => unless([...missing, "EINVAL", "UNKNOWN"], readlink(path)),
  list: async (path) => (await unless(missing, readdir(path))) ?? [],
  read: (path) => unless(missing, readFile(path, "utf8")),
  write: (path, text) => writeFile(path, text),
  async usage(path) {
    const { bsize, blocks, bfree, bavail } = await statfs(path, { bigint: true });
    return { total: blocks * bsize, used: (blocks - bfree) * bsize, available: bavail * bsize };
  },
};

async function unless<T>(codes: readonly string[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(systemErrorCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** A path of a request. Kubelet may leave out the drive, and write slashes. */
export function windowsPath(field: string, path: string): string {
  requireFields({ [field]: path });
  const withBackslashes = path.replaceAll("/", "\\");
  return withBackslashes.startsWith("\\") ? `c:${withBackslashes}` : withBackslashes;
}

/** Windows compares paths without regard to case, and links may be told with a prefix. */
export function isSamePath(a: string, b: string): boolean {
  return normal(a) === normal(b);
}

function normal(path: string): string {
  const plain = win32.normalize(path.replace(/^\\\\\?\\(?![Uu][Nn][Cc]\\)/, "")).toLowerCase();
  return plain.endsWith("\\") ? plain.slice(0, -1) : plain;
}
