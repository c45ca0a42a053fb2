import type { CallOptions } from "../call-options.ts";
import type { Disk } from "../disk/disk.ts";
import type { System } from "../system/system.ts";
import type { Volume } from "../volume/volume.ts";

type Method<Request, Response> = (request: Request, options?: CallOptions) => Promise<Response>;
type Done = object;

/** What a class offers; without its private state, so that tests can stand in for it. */
type PublicOf<T> = Pick<T, keyof T>;

export type DiskHandler = PublicOf<Disk>;

export type VolumeHandler = PublicOf<Volume>;

interface PathRequest {
  readonly path: string;
}

export interface FilesystemHandler {
  pathExists: Method<PathRequest, { readonly exists: boolean }>;
  mkdir: Method<PathRequest, Done>;
  rmdir: Method<{ readonly path: string; readonly force: boolean }, Done>;
  rmdirContents: Method<PathRequest, Done>;
  createSymlink: Method<{ readonly sourcePath: string; readonly targetPath: string }, Done>;
  isSymlink: Method<PathRequest, { readonly isSymlink: boolean }>;
}

interface MappingRequest {
  readonly remotePath: string;
  readonly localPath?: string;
  readonly username: string;
  readonly password: string;
}

export interface SmbHandler {
  newSmbGlobalMapping: Method<MappingRequest, Done>;
  removeSmbGlobalMapping: Method<{ readonly remotePath: string }, Done>;
}

interface TargetPortal {
  readonly targetAddress: string;
  readonly targetPort: number;
}

interface PortalRequest {
  readonly targetPortal?: TargetPortal;
}

interface TargetRequest extends PortalRequest {
  readonly iqn: string;
}

interface ConnectRequest extends TargetRequest {
  readonly authType: number;
  readonly chapUsername: string;
  readonly chapSecret: string;
}

export interface IscsiHandler {
  addTargetPortal: Method<PortalRequest, Done>;
  removeTargetPortal: Method<PortalRequest, Done>;
  discoverTargetPortal: Method<PortalRequest, { readonly iqns: readonly string[] }>;
  listTargetPortals: Method<Record<string, never>, { readonly targetPortals: readonly TargetPortal[] }>;
  connectTarget: Method<ConnectRequest, Done>;
  disconnectTarget: Method<TargetRequest, Done>;
  getTargetDisks: Method<TargetRequest, { readonly diskIds: readonly string[] }>;
  setMutualChapSecret: Method<{ readonly mutualChapSecret: string }, Done>;
}

export type SystemHandler = PublicOf<System>;

/** The handlers that every version of the API is translated to: what `createCsiProxy` makes, or part of it in a test. */
export interface CsiProxyHandlers {
  readonly disk: DiskHandler;
  readonly volume: VolumeHandler;
  readonly filesystem: FilesystemHandler;
  readonly smb: SmbHandler;
  readonly iscsi: IscsiHandler;
  readonly system: SystemHandler;
}
