import type { SmbHandler } from "./library.ts";
import type { ServiceOf } from "./services.ts";
import type { GroupMethods, VersionedMethods } from "./versioned-methods.ts";

/** The smb group. Until v1beta1 responses have a field for errors, which is always empty: a call that fails has a status. */
export function smbMethods(smb: SmbHandler): GroupMethods<"smb"> {
  const current: VersionedMethods<ServiceOf<"smb", "v1">> = {
    async newSmbGlobalMapping({ remote_path, local_path, username, password }, options) {
      await smb.newSmbGlobalMapping({ remotePath: remote_path, localPath: local_path, username, password }, options);
      return {};
    },
    async removeSmbGlobalMapping({ remote_path }, options) {
      await smb.removeSmbGlobalMapping({ remotePath: remote_path }, options);
      return {};
    },
  };
  const old: VersionedMethods<ServiceOf<"smb", "v1alpha1">> = {
    newSmbGlobalMapping: async (request, options) => ({ error: "", ...(await current.newSmbGlobalMapping(request, options)) }),
    removeSmbGlobalMapping: async (request, options) => ({ error: "", ...(await current.removeSmbGlobalMapping(request, options)) }),
  };
  return { v1alpha1: old, v1beta1: old, v1beta2: current, v1: current };
}
