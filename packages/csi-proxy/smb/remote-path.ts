import { trimRight } from "@csi-sidecars/base";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { withoutPrefix } from "../powershell/reparse-info.ts";

/** A path of a share with the separators of Windows: `//host/share` → `\\host\share`. */
export function normalizeRemotePath(remotePath: string): string {
  return remotePath.replaceAll("/", "\\");
}

/**
 * The share that a path is in: `\\Host\Share\folder` → `\\host\share`. Windows maps a share only once, whatever folders of it are used
 * and however they are written.
 */
export function rootMappingPath(remotePath: string): string {
  const [host, share] = normalizeRemotePath(remotePath)
    .split("\\")
    .filter((name) => name !== "");
  if (host === undefined || share === undefined) throw new CsiProxyError("InvalidArgument", `remote path (${remotePath}) is invalid`);
  return `\\\\${host}\\${share}`.toLowerCase();
}

/** What a link to a folder of a share must lead to: without a backslash at the end containers cannot enter it. */
export function linkTarget(remotePath: string): string {
  return remotePath.endsWith("\\") ? remotePath : `${remotePath}\\`;
}

/** Whether two targets of links are the same folder. Windows compares names without regard to case. */
export function isSameTarget(one: string, other: string): boolean {
  return comparable(one) === comparable(other);
}

function comparable(target: string): string {
  return withoutTrailingBackslash(withoutPrefix(normalizeRemotePath(target))).toLowerCase();
}

export function withoutTrailingBackslash(remotePath: string): string {
  return trimRight(remotePath, "\\");
}
