/**
 * Storage operations of Windows (KEP-3636) for CSI node drivers that run as HostProcess containers. Importing it does nothing: no
 * process is started and no platform is checked before a method is called.
 */
export type { CallOptions } from "./call-options.ts";
export { type CsiProxy, type CsiProxyOptions, createCsiProxy } from "./csi-proxy.ts";
export { CsiProxyError, type CsiProxyErrorCode, type CsiProxyErrorDetails, type WmiFailure } from "./csi-proxy-error.ts";
export { Disk } from "./disk/disk.ts";
export type { DiskHostApi, PartitionTable } from "./disk/host-api.ts";
export { windowsDiskHostApi } from "./disk/host-api.windows.ts";
export type * from "./disk/types.ts";
export { Filesystem } from "./filesystem/filesystem.ts";
export { nodeFilesystemHostApi } from "./filesystem/host-api.node.ts";
export type { FilesystemHostApi } from "./filesystem/host-api.ts";
export type { HostPathOptions } from "./filesystem/host-path.ts";
export type * from "./filesystem/types.ts";
export { validatePathWindows } from "./filesystem/validate-path.ts";
export type { IscsiHostApi, IscsiLogin } from "./iscsi/host-api.ts";
export { windowsIscsiHostApi } from "./iscsi/host-api.windows.ts";
export { Iscsi } from "./iscsi/iscsi.ts";
export * from "./iscsi/types.ts";
export type { Envelope, Executor, OperationOptions, OperationParameters, ScriptError } from "./powershell/executor.ts";
export type { PowershellOptions, ScriptSource } from "./powershell/executor-options.ts";
export { type ObservedOperation, type OperationObserver, observedExecutor } from "./powershell/observed-executor.ts";
export { OneShotExecutor } from "./powershell/one-shot-executor.ts";
export { type RecordedCall, RecordedExecutor, type RecordedReply } from "./powershell/recorded-executor.ts";
export { SessionExecutor, type SessionOptions } from "./powershell/session-executor.ts";
export type { HandlerOptions } from "./requests.ts";
export { type InProcessClient, inProcessClient } from "./server/in-process-client.ts";
export type { SmbCredential, SmbHostApi, SmbMappingState } from "./smb/host-api.ts";
export { windowsSmbHostApi } from "./smb/host-api.windows.ts";
export { rootMappingPath } from "./smb/remote-path.ts";
export { Smb, type SmbOptions } from "./smb/smb.ts";
export type * from "./smb/types.ts";
export { parsePage83 } from "./storage-id/page83.ts";
export type { SystemHostApi } from "./system/host-api.ts";
export { windowsSystemHostApi } from "./system/host-api.windows.ts";
export { System } from "./system/system.ts";
export * from "./system/types.ts";
export type { VolumeHostApi } from "./volume/host-api.ts";
export { windowsVolumeHostApi } from "./volume/host-api.windows.ts";
export type * from "./volume/types.ts";
export { Volume } from "./volume/volume.ts";
