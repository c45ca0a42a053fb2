import type { OperationOptions } from "../powershell/executor.ts";

/** A mapping is usable, or in the way: Windows creates no second one, and needs it removed first. */
export type SmbMappingState = "mapped" | "stale" | "unmapped";

/** What a share is mapped with. */
export interface SmbCredential {
  readonly username: string;
  readonly password: string;
}

/** What the smb group does on the host. Shares have the form that `rootMappingPath` gives them. */
export interface SmbHostApi {
  isSmbMapped(share: string, options?: OperationOptions): Promise<SmbMappingState>;
  /** Creates a link to a folder of a share, and is content with one that leads there already. */
  newSmbLink(remotePath: string, localPath: string, options?: OperationOptions): Promise<void>;
  /** Maps a share for all users of the node. */
  newSmbGlobalMapping(
    share: string,
    credential: SmbCredential | undefined,
    requirePrivacy: boolean,
    options?: OperationOptions,
  ): Promise<void>;
  removeSmbGlobalMapping(share: string, options?: OperationOptions): Promise<void>;
}
