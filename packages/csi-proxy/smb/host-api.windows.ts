import { inContext } from "../error-context.ts";
import { type HostPathOptions, hostPathMapping } from "../filesystem/host-path.ts";
import { onHost } from "../filesystem/on-host.ts";
import type { Executor } from "../powershell/executor.ts";
import { operationData } from "../powershell/operation-data.ts";
import { runMethod, runOperation } from "../powershell/run-operation.ts";
import type { SmbHostApi } from "./host-api.ts";
import { linkToShare } from "./share-link.ts";

/** `MSFT_SmbGlobalMapping.Status` of a mapping that works; the others are paused, disconnected, failing, connecting or gone. */
const statusOk = 0;

const className = "MSFT_SmbGlobalMapping";

/** The smb group by means of Windows' global mappings, and links that the runtime creates. */
export function windowsSmbHostApi(executor: Executor, options: HostPathOptions = {}): SmbHostApi {
  const hostPath = hostPathMapping(options);
  return {
    async isSmbMapped(share, options) {
      const data = operationData("smb.getMapping", await runOperation(executor, "smb.getMapping", { smbremotepath: share }, options));
      if (data.isNull) return "unmapped";
      return data.uint32("status") === statusOk ? "mapped" : "stale";
    },

    newSmbLink: (remotePath, localPath, options) =>
      onHost({ what: "symlink", path: localPath, signal: options?.signal }, hostPath, (link) => linkToShare(remotePath, link)),

    async newSmbGlobalMapping(share, credential, requirePrivacy, options) {
      const params = {
        smbremotepath: share,
        ...(credential && { smbuser: credential.username, smbpassword: credential.password }),
        require_privacy: String(requirePrivacy),
      };
      const method = { class: className, method: "Create", target: share };
      await inContext("NewSmbGlobalMapping failed. error: ", runMethod(executor, "smb.newMapping", params, method, options));
    },

    async removeSmbGlobalMapping(share, options) {
      const method = { class: className, method: "Remove", target: share };
      const removal = runMethod(executor, "smb.removeMapping", { smbremotepath: share }, method, options);
      await inContext(`error remove smb mapping '${share}'. error: `, removal);
    },
  };
}
