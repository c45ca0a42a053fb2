import { type Logger, silentLogger } from "@csi-sidecars/base";
import type { CallOptions } from "../call-options.ts";
import { CsiProxyError } from "../csi-proxy-error.ts";
import { inContext } from "../error-context.ts";
import type { Filesystem } from "../filesystem/filesystem.ts";
import { validatePathWindows } from "../filesystem/validate-path.ts";
import type { OperationOptions } from "../powershell/executor.ts";
import { type HandlerOptions, Requests } from "../requests.ts";
import { shortError, shortFields } from "../short-texts.ts";
import type { SmbHostApi } from "./host-api.ts";
import { normalizeRemotePath, rootMappingPath, withoutTrailingBackslash } from "./remote-path.ts";
import type * as types from "./types.ts";

export interface SmbOptions extends HandlerOptions {
  /** Whether shares are only used encrypted. True unless told. */
  readonly requirePrivacy?: boolean;
}

/**
 * Shares of the network, mapped for the whole node. Calls for one share exclude each other; nobody counts who uses it, that is for the
 * driver to do.
 */
export class Smb {
  readonly #host: SmbHostApi;
  readonly #filesystem: Pick<Filesystem, "pathValid">;
  readonly #requirePrivacy: boolean;
  readonly #log: Logger;
  readonly #requests: Requests;

  constructor(host: SmbHostApi, filesystem: Pick<Filesystem, "pathValid">, { requirePrivacy = true, ...options }: SmbOptions = {}) {
    this.#host = host;
    this.#filesystem = filesystem;
    this.#requirePrivacy = requirePrivacy;
    this.#log = (options.log ?? silentLogger).named("smb");
    this.#requests = new Requests("smb", options);
  }

  /** Makes sure that a share is mapped and can be used, and links to the folder of it that was asked for. */
  newSmbGlobalMapping(request: types.NewSmbGlobalMappingRequest, options?: CallOptions): Promise<types.NewSmbGlobalMappingResponse> {
    const { localPath = "", username, password } = request;
    const remotePath = normalizeRemotePath(request.remotePath);
    const info = { method: "NewSmbGlobalMapping", v: 2, fields: { remotePath, localPath } };
    const key = () => {
      const share = shareOf(remotePath);
      if (localPath !== "") validatePathWindows(localPath);
      return `smb:${share}`;
    };
    return this.#requests.change(info, key, options, async (options) => {
      const share = shareOf(remotePath);
      const isUsable = await this.#isUsable(share, options);
      const credential = username ? { username, password } : undefined;
      if (!isUsable) await this.#host.newSmbGlobalMapping(share, credential, this.#requirePrivacy, options);
      if (localPath === "") return {};
      const context = `creating link ${localPath} to ${withoutTrailingBackslash(remotePath)} failed with error: `;
      await inContext(context, this.#host.newSmbLink(remotePath, localPath, options));
      return {};
    });
  }

  /** Removes the mapping of the share that a path is in, whoever else uses it. */
  removeSmbGlobalMapping(
    request: types.RemoveSmbGlobalMappingRequest,
    options?: CallOptions,
  ): Promise<types.RemoveSmbGlobalMappingResponse> {
    const remotePath = normalizeRemotePath(request.remotePath);
    const info = { method: "RemoveSmbGlobalMapping", v: 2, fields: { remotePath } };
    const key = () => `smb:${shareOf(remotePath)}`;
    return this.#requests.change(info, key, options, async (options) => {
      await this.#host.removeSmbGlobalMapping(shareOf(remotePath), options);
      return {};
    });
  }

  /**
   * Whether a share is mapped so that it can be reached. A mapping that is of no use is removed: after a reboot or a change of the
   * password Windows refuses to create another one as long as it is there (system error 1219).
   */
  async #isUsable(share: string, options: OperationOptions): Promise<boolean> {
    const state = await this.#host
      .isSmbMapped(share, options)
      .catch((error) => this.#carryOn(error, "Looking for a mapping", share, options));
    if (state === undefined || state === "unmapped") return false;
    if (state === "mapped" && (await this.#isReachable(share, options))) return true;
    await this.#host.removeSmbGlobalMapping(share, options).catch((error) => {
      const isGone = error instanceof CsiProxyError && error.code === "NotFound";
      if (!isGone) throw error;
    });
    return false;
  }

  async #isReachable(share: string, options: OperationOptions): Promise<boolean> {
    const answer = await this.#filesystem
      .pathValid({ path: share }, options)
      .catch((error) => this.#carryOn(error, "Probing a share", share, options));
    return answer?.valid ?? false;
  }

  /** A share that cannot be looked at is mapped anew; only a call that was stopped goes no further. */
  #carryOn(error: unknown, what: string, share: string, { signal }: OperationOptions): undefined {
    if (signal?.aborted) throw error;
    this.#log.error(shortError(error), `${what} failed`, shortFields({ share }));
  }
}

function shareOf(remotePath: string): string {
  if (remotePath === "") throw new CsiProxyError("InvalidArgument", "remote path is empty");
  return rootMappingPath(remotePath);
}
