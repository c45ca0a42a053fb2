import { Filesystem } from "../filesystem/filesystem.ts";
import type { FilesystemHostApi } from "../filesystem/host-api.ts";
import { defaultProxy } from "./default-proxy.ts";
import { replaceableHandler } from "./replaceable-handler.ts";

const { current, useHostApi, resetHostApi } = replaceableHandler<FilesystemHostApi, Filesystem>(
  () => defaultProxy().filesystem,
  (hostApi) => new Filesystem(hostApi),
);

export { resetHostApi, useHostApi };

export const pathExists: Filesystem["pathExists"] = (...args) => current().pathExists(...args);
export const pathValid: Filesystem["pathValid"] = (...args) => current().pathValid(...args);
export const mkdir: Filesystem["mkdir"] = (...args) => current().mkdir(...args);
export const rmdir: Filesystem["rmdir"] = (...args) => current().rmdir(...args);
export const rmdirContents: Filesystem["rmdirContents"] = (...args) => current().rmdirContents(...args);
export const createSymlink: Filesystem["createSymlink"] = (...args) => current().createSymlink(...args);
export const isSymlink: Filesystem["isSymlink"] = (...args) => current().isSymlink(...args);
