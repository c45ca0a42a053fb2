import { readlink, symlink } from "node:fs/promises";
import { systemErrorCode } from "@csi-sidecars/base";
import { inContext } from "../error-context.ts";
import { type HostPathOptions, hostPathMapping } from "../filesystem/host-path.ts";
import { onHost } from "../filesystem/on-host.ts";
import type { Executor } from "../powershell/executor.ts";
import { operationData } from "../powershell/operation-data.ts";
import { runMethod, runOperation } from "../powershell/run-operation.ts";
import type { SmbHostApi } from "./host-api.ts";
import { isSameTarget, linkTarget } from "./remote-path.ts";

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
      onHost({ what: "symlink", path: localPath, signal: options?.signal }, hostPath, (link) => linkTo(linkTarget(remotePath), link)),

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

/** The type is told: a share that cannot be looked at would become a link to a file, which containers may not enter. */
async function linkTo(target: string, link: string): Promise<void> {
  try {
    await symlink(target, link, "dir");
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw error;
    // What is there may be no link at all.
    const present = await readlink(link).catch(() => undefined);
    if (present === undefined || !isSameTarget(present, target)) throw error;
  }
}
