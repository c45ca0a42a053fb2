import { CsiProxyError } from "../csi-proxy-error.ts";

const longestPath = 260;
const drivePrefix = /^[a-zA-Z]:\\/;
const invalidCharacter = /["/:?*|]/;

/** Throws unless a path is one that drivers may name: absolute, on a drive, not too long, without wildcards and parent folders. */
export function validatePathWindows(path: string): void {
  const problem = problemOf(path);
  if (problem !== undefined) throw new CsiProxyError("InvalidArgument", problem);
}

function problemOf(path: string): string | undefined {
  const length = Buffer.byteLength(path);
  if (length > longestPath) return `path length ${length} exceeds maximum characters: ${longestPath}`;
  if (path.startsWith("\\")) return `invalid character \\ at beginning of path: ${path}`;
  const belowDrive = path.replace(drivePrefix, "");
  if (invalidCharacter.test(belowDrive) || belowDrive.includes("..")) return `path contains invalid characters: ${path}`;
  if (!drivePrefix.test(path)) return `not an absolute Windows path: ${path}`;
  if (path.includes("\0")) return `path contains invalid characters: ${path}`;
  return undefined;
}
