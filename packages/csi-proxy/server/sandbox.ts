import { CsiProxyError } from "../csi-proxy-error.ts";
import { validatePathWindows } from "../filesystem/validate-path.ts";
import type { CsiProxyHandlers, FilesystemHandler, SmbHandler, VolumeHandler } from "./library.ts";

export interface SandboxOptions {
  /** Where clients may work, as configured; case makes no difference. */
  readonly workingDirs: readonly string[];
  /** Keeps the target paths of volumes inside as well. Clients of old expect that they are not, so it is off unless asked for. */
  readonly strictVolumePaths?: boolean;
}

/** The handlers as clients of the server may use them: with paths inside the working directories only. */
export function sandboxed(handlers: CsiProxyHandlers, { workingDirs, strictVolumePaths = false }: SandboxOptions): CsiProxyHandlers {
  const check = (path: string) => checkPath(path, workingDirs);
  return {
    ...handlers,
    filesystem: sandboxedFilesystem(handlers.filesystem, check),
    smb: sandboxedSmb(handlers.smb, check),
    volume: strictVolumePaths ? sandboxedVolume(handlers.volume, check) : handlers.volume,
  };
}

/** Throws unless a path is well formed and a working directory or below one; a directory whose name only begins alike is not. */
export function checkPath(path: string, workingDirs: readonly string[]): void {
  validatePathWindows(path);
  if (workingDirs.some((dir) => isWithin(path, dir))) return;
  throw new CsiProxyError("InvalidArgument", `path: ${path} is not within the working directories: [${workingDirs.join(" ")}]`);
}

/**
 * Both ways to ignore case have to agree. Unicode's lower case of the Kelvin sign is a k and its upper case of a dotless i is an I,
 * but in names of files they are different letters.
 */
function isWithin(path: string, dir: string): boolean {
  const [inner, outer] = [`${path}\\`, `${dir.replace(/\\$/, "")}\\`];
  return inner.toLowerCase().startsWith(outer.toLowerCase()) && inner.toUpperCase().startsWith(outer.toUpperCase());
}

type Check = (path: string) => void;

/** Whether a path is a link is told for any path: the answer is only a boolean. */
function sandboxedFilesystem(filesystem: FilesystemHandler, check: Check): FilesystemHandler {
  return {
    async pathExists(request, options) {
      check(request.path);
      return filesystem.pathExists(request, options);
    },
    async mkdir(request, options) {
      check(request.path);
      return filesystem.mkdir(request, options);
    },
    async rmdir(request, options) {
      check(request.path);
      return filesystem.rmdir(request, options);
    },
    async rmdirContents(request, options) {
      check(request.path);
      return filesystem.rmdirContents(request, options);
    },
    async createSymlink(request, options) {
      check(request.targetPath);
      check(request.sourcePath);
      return filesystem.createSymlink(request, options);
    },
    isSymlink: (request, options) => filesystem.isSymlink(request, options),
  };
}

/** A remote path that names no share is the handler's to refuse: clients expect its text before that of the local path. */
function sandboxedSmb(smb: SmbHandler, check: Check): SmbHandler {
  return {
    async newSmbGlobalMapping(request, options) {
      const namesShare = request.remotePath.split(/[\\/]/).filter((part) => part !== "").length >= 2;
      if (request.localPath && namesShare) check(request.localPath);
      return smb.newSmbGlobalMapping(request, options);
    },
    removeSmbGlobalMapping: (request, options) => smb.removeSmbGlobalMapping(request, options),
  };
}

/** Empty arguments are the handler's to refuse, in its own words. */
function sandboxedVolume(volume: VolumeHandler, check: Check): VolumeHandler {
  const checkMount = ({ volumeId, targetPath }: { readonly volumeId: string; readonly targetPath: string }) => {
    if (volumeId !== "" && targetPath !== "") check(targetPath);
  };
  return {
    listVolumesOnDisk: (request, options) => volume.listVolumesOnDisk(request, options),
    async mountVolume(request, options) {
      checkMount(request);
      return volume.mountVolume(request, options);
    },
    async unmountVolume(request, options) {
      checkMount(request);
      return volume.unmountVolume(request, options);
    },
    isVolumeFormatted: (request, options) => volume.isVolumeFormatted(request, options),
    formatVolume: (request, options) => volume.formatVolume(request, options),
    resizeVolume: (request, options) => volume.resizeVolume(request, options),
    getVolumeStats: (request, options) => volume.getVolumeStats(request, options),
    getDiskNumberFromVolumeId: (request, options) => volume.getDiskNumberFromVolumeId(request, options),
    async getVolumeIdFromTargetPath(request, options) {
      if (request.targetPath !== "") check(request.targetPath);
      return volume.getVolumeIdFromTargetPath(request, options);
    },
    async getClosestVolumeIdFromTargetPath(request, options) {
      if (request.targetPath !== "") check(request.targetPath);
      return volume.getClosestVolumeIdFromTargetPath(request, options);
    },
    writeVolumeCache: (request, options) => volume.writeVolumeCache(request, options),
  };
}
