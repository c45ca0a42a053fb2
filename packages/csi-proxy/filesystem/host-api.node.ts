import { lstat, mkdir, readlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { CsiProxyError } from "../csi-proxy-error.ts";
import type { Executor, OperationOptions } from "../powershell/executor.ts";
import { operationData } from "../powershell/operation-data.ts";
import { pathInfo } from "../powershell/reparse-info.ts";
import { runOperation } from "../powershell/run-operation.ts";
import { createLink } from "./create-link.ts";
import { isMissing } from "./file-error.ts";
import type { FilesystemHostApi } from "./host-api.ts";
import { type HostPathOptions, hostPathMapping, isDriveRoot } from "./host-path.ts";
import { onHost } from "./on-host.ts";
import { removeContents, removeOne, removeTree } from "./remove-tree.ts";

/**
 * The filesystem group by means of the runtime's own file calls. PowerShell is asked only what they cannot tell: whether a folder is the
 * mount point of a volume, and whether a share can be reached.
 */
export function nodeFilesystemHostApi(executor: Executor, options: HostPathOptions = {}): FilesystemHostApi {
  const hostPath = hostPathMapping(options);

  const pathValid = async (path: string, options?: OperationOptions) => {
    const data = await runOperation(executor, "fs.testPath", { remotepath: path }, options);
    return operationData("fs.testPath", data).boolean("valid");
  };

  return {
    pathExists: (path, options) => onHost({ what: "lstat", path, signal: options?.signal }, hostPath, exists),

    pathValid,

    async mkdir(path, options) {
      await onHost({ what: "mkdir", path, signal: options?.signal }, hostPath, (host) => mkdir(host, { recursive: true }));
    },

    rmdir: (path, force, options) =>
      onHost({ what: "remove", path, signal: options?.signal }, hostPath, async (host) => {
        if (!force) return removeOne(host);
        if (isDriveRoot(path)) throw new CsiProxyError("InvalidArgument", `remove ${path}: it is the root of a drive`);
        try {
          if (await isFolderOfItsOwn(host, path, executor, options)) await removeTree(host, options?.signal);
          else await removeOne(host);
        } catch (error) {
          if (!isMissing(error)) throw error;
        }
      }),

    rmdirContents: (path, options) =>
      onHost({ what: "remove contents of", path, signal: options?.signal }, hostPath, (host) => removeContents(host, options?.signal)),

    createSymlink: (sourcePath, linkPath, options) =>
      onHost({ what: "symlink", path: linkPath, signal: options?.signal }, hostPath, (host) =>
        createLink(hostPath(sourcePath), host, options?.signal),
      ),

    isSymlink: (path, options) =>
      onHost({ what: "lstat", path, signal: options?.signal }, hostPath, async (host) => {
        const entry = await lstat(host);
        if (entry.isSymbolicLink()) return exists(resolve(dirname(host), hostPath(await readlink(host))));
        if (!entry.isDirectory()) return false;
        const info = await pathInfo(executor, path, options);
        if (info.kind === "missing") throw new CsiProxyError("NotFound", `lstat ${path}: not found`);
        if (info.kind === "volume") return pathValid(info.volumeId, options);
        return info.kind === "link" && exists(hostPath(info.target));
      }),
  };
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Whether a path is a folder whose contents are its own. The runtime sees no difference between that and the mount point of a volume. */
async function isFolderOfItsOwn(host: string, path: string, executor: Executor, options?: OperationOptions): Promise<boolean> {
  const entry = await lstat(host);
  if (!entry.isDirectory()) return false;
  const { kind } = await pathInfo(executor, path, options);
  if (kind === "missing") throw new CsiProxyError("FailedPrecondition", `remove ${path}: cannot tell whether it is a mount point`);
  return kind === "plain";
}
