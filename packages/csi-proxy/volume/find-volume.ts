import { win32 } from "node:path";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { inContext } from "../error-context.ts";
import { type PathInfo, withoutPrefix } from "../powershell/reparse-info.ts";
import { volumeIdOf } from "./volume-id.ts";

/** What the search asks of the host. */
export interface VolumeLookup {
  pathInfo(path: string): Promise<PathInfo>;
  /** The volume of a drive letter. */
  volumeOfDrive(letter: string): Promise<string>;
}

const maxSteps = 256;

/** Windows' error code that tells a path at which nothing is mounted from one that cannot be looked at. */
export const notAReparsePoint = 4390;

/**
 * The volume that is mounted at a path, or where the path's links lead to. An ordinary directory has none, although it is on a volume:
 * drivers unmount what this returns, and take its disk offline.
 */
export function mountedVolume(lookup: Pick<VolumeLookup, "pathInfo">, targetPath: string): Promise<string> {
  return inContext(`error getting the volume for the mount ${targetPath}: `, followToVolume(lookup, targetPath));
}

async function followToVolume({ pathInfo }: Pick<VolumeLookup, "pathInfo">, targetPath: string): Promise<string> {
  let path = targetPath;
  for (let step = 0; step < maxSteps; step++) {
    const info = await pathInfo(path);
    if (info.kind === "volume") return info.volumeId;
    if (info.kind === "missing") throw new CsiProxyError("NotFound", `${path} was not found because it does not exist`);
    if (info.kind === "plain") throw notMounted(path);
    path = info.target;
  }
  throw new CsiProxyError("FailedPrecondition", "maximum recursion reached");
}

/** The volume that holds a path: that of the nearest mount point above it, after links, or of the drive. */
export function closestVolume(lookup: VolumeLookup, targetPath: string): Promise<string> {
  return inContext(`error getting the closest volume for the path=${targetPath}, err=`, walkToVolume(lookup, targetPath));
}

async function walkToVolume({ pathInfo, volumeOfDrive }: VolumeLookup, targetPath: string): Promise<string> {
  let path = withoutPrefix(targetPath);
  for (let step = 0; step < maxSteps; step++) {
    const root = volumeIdOf(path);
    if (root !== undefined) return root;
    const info = await pathInfo(path);
    if (info.kind === "volume") return info.volumeId;
    if (info.kind === "missing") throw new CsiProxyError("NotFound", `path ${path} not found`);
    if (info.kind === "link") {
      path = info.target;
      continue;
    }
    const parent = win32.dirname(path);
    if (parent === path) return volumeOfDrive(driveLetter(path));
    path = parent;
  }
  throw new CsiProxyError("FailedPrecondition", `failed to find the closest volume for path=${targetPath}`);
}

function driveLetter(root: string): string {
  if (!/^[a-z]:/i.test(root)) throw new CsiProxyError("InvalidArgument", `the path ${root} is not a valid drive letter`);
  return root.slice(0, 1);
}

/** Drivers recognise "nothing is mounted" by the words of either the WMI calls or the older cmdlet, so the text has both. */
function notMounted(path: string): CsiProxyError {
  const ofCmdlet = "(Get-Item -Path $Env:mountpath).Target, output: , error: <nil>";
  return new CsiProxyError("FailedPrecondition", `${path} is not a mounted folder: ${ofCmdlet}`, { win32: notAReparsePoint });
}
