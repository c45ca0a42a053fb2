import { posix, win32 } from "node:path";
import { CsiProxyError } from "../csi-proxy-error.ts";

export interface HostPathOptions {
  /**
   * The folder that stands for the drives of Windows on other platforms: `C:\data` is `<hostRoot>/C/data`. Needed there, for
   * development and tests.
   */
  readonly hostRoot?: string;
  readonly platform?: NodeJS.Platform;
}

/** Maps a path of Windows to the path that this platform knows it by. */
export type HostPath = (path: string) => string;

/**
 * The mapping for this platform: none on Windows. Paths without a drive, such as `\\host\share`, are not mapped. Separators at the end
 * are dropped, since with them a path means what a link leads to instead of the link. The mapping throws on other platforms without a
 * `hostRoot`.
 */
export function hostPathMapping({ hostRoot = "", platform = process.platform }: HostPathOptions): HostPath {
  if (hostRoot !== "") return (path) => belowHostRoot(hostRoot, path);
  if (platform === "win32") return (path) => (drive.test(path) && !isDriveRoot(path) ? withoutTrailingSeparators(path) : path);
  return () => {
    throw new CsiProxyError("FailedPrecondition", "--dev-host-root is required on this platform");
  };
}

/** Whether a path is all of a drive: `C:\`. */
export function isDriveRoot(path: string): boolean {
  return win32.normalize(path) === win32.parse(path).root;
}

const drive = /^[a-zA-Z]:/;

function belowHostRoot(hostRoot: string, path: string): string {
  const [, letter, rest] = /^([a-zA-Z]):([\\/].*)?$/s.exec(path) ?? [];
  if (letter === undefined) return path;
  // `C:\..` is `C:\`: no path leads out of its drive.
  const names = win32.normalize(rest || "\\").split("\\");
  return withoutTrailingSeparators(posix.join(hostRoot, letter.toUpperCase(), ...names));
}

function withoutTrailingSeparators(path: string): string {
  let end = path.length;
  while (end > 0 && (path[end - 1] === "\\" || path[end - 1] === "/")) end--;
  return path.slice(0, end);
}
