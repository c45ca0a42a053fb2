import type { SmbHostApi } from "../smb/host-api.ts";
import { Smb } from "../smb/smb.ts";
import { defaultProxy } from "./default-proxy.ts";
import { replaceableHandler } from "./replaceable-handler.ts";

const { current, useHostApi, resetHostApi } = replaceableHandler<SmbHostApi, Smb>(
  () => defaultProxy().smb,
  (hostApi) => new Smb(hostApi, defaultProxy().filesystem),
);

export { resetHostApi, useHostApi };

export const newSmbGlobalMapping: Smb["newSmbGlobalMapping"] = (...args) => current().newSmbGlobalMapping(...args);
export const removeSmbGlobalMapping: Smb["removeSmbGlobalMapping"] = (...args) => current().removeSmbGlobalMapping(...args);
