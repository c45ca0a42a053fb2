export interface NewSmbGlobalMappingRequest {
  /** The share or a folder in it: `\\host\share\folder`. */
  readonly remotePath: string;
  /** Where to create a link to the remote path; none if empty. */
  readonly localPath?: string;
  /** Without one, Windows uses no credential at all. */
  readonly username: string;
  readonly password: string;
}

export type NewSmbGlobalMappingResponse = Readonly<Record<string, never>>;

export interface RemoveSmbGlobalMappingRequest {
  /** The share or a folder in it. What is removed is the mapping of the share, for everybody who uses it. */
  readonly remotePath: string;
}

export type RemoveSmbGlobalMappingResponse = Readonly<Record<string, never>>;
