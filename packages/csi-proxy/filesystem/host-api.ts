import type { OperationOptions } from "../powershell/executor.ts";

/** What the filesystem group does on the host. Paths are those of Windows; none is checked here. */
export interface FilesystemHostApi {
  /** Whether there is anything at the path; links are not followed. */
  pathExists(path: string, options?: OperationOptions): Promise<boolean>;
  /** Whether Windows accepts a path, which may be a share: `\\host\share`. */
  pathValid(path: string, options?: OperationOptions): Promise<boolean>;
  /** Creates a folder and its parents. */
  mkdir(path: string, options?: OperationOptions): Promise<void>;
  /** Removes a file, a link or an empty folder; with `force` also a folder with contents, or nothing. */
  rmdir(path: string, force: boolean, options?: OperationOptions): Promise<void>;
  /** Removes what is in a folder. */
  rmdirContents(path: string, options?: OperationOptions): Promise<void>;
  /** A source that is missing counts as a file; one that cannot be looked at is an error. */
  createSymlink(sourcePath: string, linkPath: string, options?: OperationOptions): Promise<void>;
  /** Whether a path is a link or a mount point that leads to something. Rejects if nothing is at the path. */
  isSymlink(path: string, options?: OperationOptions): Promise<boolean>;
}
