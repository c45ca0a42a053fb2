import type { FilesystemHandler } from "./library.ts";
import type { ServiceOf } from "./services.ts";
import type { GroupMethods, VersionedMethods } from "./versioned-methods.ts";

/**
 * The filesystem group. Until v1beta1 requests say whether a path belongs to a pod or a plugin, which nothing depends on, and
 * responses have a field for errors, which is always empty: a call that fails has a status.
 */
export function filesystemMethods(filesystem: FilesystemHandler): GroupMethods<"filesystem"> {
  const current: VersionedMethods<ServiceOf<"filesystem", "v1">> = {
    async pathExists({ path }, options) {
      const { exists } = await filesystem.pathExists({ path }, options);
      return { exists };
    },
    async mkdir({ path }, options) {
      await filesystem.mkdir({ path }, options);
      return {};
    },
    async rmdir({ path, force }, options) {
      await filesystem.rmdir({ path, force }, options);
      return {};
    },
    async createSymlink({ source_path, target_path }, options) {
      await filesystem.createSymlink({ sourcePath: source_path, targetPath: target_path }, options);
      return {};
    },
    async isSymlink({ path }, options) {
      const { isSymlink } = await filesystem.isSymlink({ path }, options);
      return { is_symlink: isSymlink };
    },
  };
  const old: VersionedMethods<ServiceOf<"filesystem", "v1alpha1">> = {
    pathExists: async (request, options) => ({ error: "", ...(await current.pathExists(request, options)) }),
    mkdir: async (request, options) => ({ error: "", ...(await current.mkdir(request, options)) }),
    rmdir: async (request, options) => ({ error: "", ...(await current.rmdir(request, options)) }),
    linkPath: async (request, options) => ({ error: "", ...(await current.createSymlink(request, options)) }),
    async isMountPoint(request, options) {
      const { is_symlink } = await current.isSymlink(request, options);
      return { error: "", is_mount_point: is_symlink };
    },
  };
  return {
    v1alpha1: old,
    v1beta1: old,
    v1beta2: current,
    v1: current,
    v2alpha1: {
      ...current,
      async rmdirContents({ path }, options) {
        await filesystem.rmdirContents({ path }, options);
        return {};
      },
    },
  };
}
