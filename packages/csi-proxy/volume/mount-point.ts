import { CsiProxyError, type CsiProxyErrorCode } from "../csi-proxy-error.ts";
import { withContext } from "../error-context.ts";
import type { Executor, OperationOptions } from "../powershell/executor.ts";
import { operationData } from "../powershell/operation-data.ts";
import { pathInfo } from "../powershell/reparse-info.ts";
import { runOperation } from "../powershell/run-operation.ts";
import { mountedVolume, notAReparsePoint } from "./find-volume.ts";
import { isSameVolume } from "./volume-id.ts";

const directoryNotEmpty = 145;

/** Windows' error codes that mean something to callers. */
const knownCodes: ReadonlyMap<number, readonly [CsiProxyErrorCode, string]> = new Map([
  [2, ["NotFound", "file not found"]],
  [3, ["NotFound", "path not found"]],
  [5, ["FailedPrecondition", "access denied"]],
  [directoryNotEmpty, ["FailedPrecondition", "the directory is not empty"]],
  [notAReparsePoint, ["FailedPrecondition", "not a mounted folder"]],
]);

/** Mounts a volume at an empty directory. Where it is mounted there already, there is nothing to do. */
export async function addMountPoint(executor: Executor, volumeId: string, path: string, options?: OperationOptions): Promise<void> {
  try {
    const code = await win32CodeOf(executor, "volume.addMountPoint", volumeId, path, options);
    if (code === 0) return;
    if (code === directoryNotEmpty && (await isMountedAt(executor, volumeId, path, options))) return;
    throw win32Error("volume.addMountPoint", code);
  } catch (error) {
    throw withContext(`error mount volume (${volumeId}) to path ${path}. error: `, error);
  }
}

export async function removeMountPoint(executor: Executor, volumeId: string, path: string, options?: OperationOptions): Promise<void> {
  try {
    const code = await win32CodeOf(executor, "volume.removeMountPoint", volumeId, path, options);
    if (code !== 0) throw win32Error("volume.removeMountPoint", code);
  } catch (error) {
    throw withContext(`error umount volume (${volumeId}) from path ${path}. error: `, error);
  }
}

type MountPointOperation = "volume.addMountPoint" | "volume.removeMountPoint";

async function win32CodeOf(
  executor: Executor,
  op: MountPointOperation,
  volumeId: string,
  path: string,
  options?: OperationOptions,
): Promise<number> {
  const mountpath = path.endsWith("\\") ? path : `${path}\\`;
  return operationData(op, await runOperation(executor, op, { volumeID: volumeId, mountpath }, options)).uint32("win32");
}

async function isMountedAt(executor: Executor, volumeId: string, path: string, options?: OperationOptions): Promise<boolean> {
  try {
    return isSameVolume(await mountedVolume({ pathInfo: (path) => pathInfo(executor, path, options) }, path), volumeId);
  } catch (error) {
    // A directory with files in it: that it is not empty is the better answer.
    if (error instanceof CsiProxyError && error.win32 === notAReparsePoint) return false;
    throw error;
  }
}

function win32Error(op: MountPointOperation, code: number): CsiProxyError {
  const [category, words] = knownCodes.get(code) ?? ["Internal", "Windows refused"];
  return new CsiProxyError(category, `${words} (Win32 error ${code})`, { op, win32: code });
}
