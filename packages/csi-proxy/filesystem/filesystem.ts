import type { CallOptions } from "../call-options.ts";
import { type HandlerOptions, Requests } from "../requests.ts";
import type { FilesystemHostApi } from "./host-api.ts";
import type * as types from "./types.ts";
import { validatePathWindows } from "./validate-path.ts";

/** Folders and links of the node: what kubelet's paths need before a volume is mounted and after. */
export class Filesystem {
  readonly #host: FilesystemHostApi;
  readonly #requests: Requests;

  constructor(host: FilesystemHostApi, options: HandlerOptions = {}) {
    this.#host = host;
    this.#requests = new Requests("filesystem", options);
  }

  pathExists({ path }: types.PathRequest, options?: CallOptions): Promise<types.PathExistsResponse> {
    return this.#requests.read({ method: "PathExists", v: 2, fields: { path } }, options, async (options) => {
      validatePathWindows(path);
      return { exists: await this.#host.pathExists(path, options) };
    });
  }

  /** Whether Windows can reach a path, which may be a share. */
  pathValid({ path }: types.PathRequest, options?: CallOptions): Promise<types.PathValidResponse> {
    return this.#requests.read({ method: "PathValid", v: 2, fields: { path } }, options, async (options) => ({
      valid: await this.#host.pathValid(path, options),
    }));
  }

  mkdir({ path }: types.PathRequest, options?: CallOptions): Promise<types.FilesystemEmptyResponse> {
    return this.#requests.read({ method: "Mkdir", v: 2, fields: { path } }, options, async (options) => {
      validatePathWindows(path);
      await this.#host.mkdir(path, options);
      return {};
    });
  }

  /** Removes a file, a link or a folder. What a link or a mount point leads to stays, whatever `force` says. */
  rmdir({ path, force }: types.RmdirRequest, options?: CallOptions): Promise<types.FilesystemEmptyResponse> {
    return this.#requests.read({ method: "Rmdir", v: 2, fields: { path, force } }, options, async (options) => {
      validatePathWindows(path);
      await this.#host.rmdir(path, force, options);
      return {};
    });
  }

  rmdirContents({ path }: types.PathRequest, options?: CallOptions): Promise<types.FilesystemEmptyResponse> {
    return this.#requests.read({ method: "RmdirContents", v: 2, fields: { path } }, options, async (options) => {
      validatePathWindows(path);
      await this.#host.rmdirContents(path, options);
      return {};
    });
  }

  createSymlink({ sourcePath, targetPath }: types.CreateSymlinkRequest, options?: CallOptions): Promise<types.FilesystemEmptyResponse> {
    const request = { method: "CreateSymlink", v: 2, fields: { sourcePath, targetPath } };
    return this.#requests.read(request, options, async (options) => {
      validatePathWindows(targetPath);
      validatePathWindows(sourcePath);
      await this.#host.createSymlink(sourcePath, targetPath, options);
      return {};
    });
  }

  isSymlink({ path }: types.PathRequest, options?: CallOptions): Promise<types.IsSymlinkResponse> {
    return this.#requests.read({ method: "IsSymlink", v: 2, fields: { path } }, options, async (options) => ({
      isSymlink: await this.#host.isSymlink(path, options),
    }));
  }
}
