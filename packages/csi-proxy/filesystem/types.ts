export interface PathRequest {
  /** An absolute path of Windows: `C:\var\lib\kubelet\pods\…`. */
  readonly path: string;
}

export interface RmdirRequest extends PathRequest {
  /** Also removes what is in the folder. Links and mount points are removed, never what they lead to. */
  readonly force: boolean;
}

export interface CreateSymlinkRequest {
  /** What the link leads to; it should exist. */
  readonly sourcePath: string;
  /** The link to create; nothing may be there yet. */
  readonly targetPath: string;
}

export interface PathExistsResponse {
  /** A link exists even if what it leads to does not. */
  readonly exists: boolean;
}

export interface PathValidResponse {
  readonly valid: boolean;
}

export interface IsSymlinkResponse {
  /** Whether the path is a link or a mount point, and what it leads to exists. */
  readonly isSymlink: boolean;
}

/** The response of methods that only succeed or fail. */
export type FilesystemEmptyResponse = Readonly<Record<string, never>>;
