/**
 * The API groups as plain functions over handlers that all callers share, for code that has no place to keep a handler:
 *
 * ```ts
 * import { disk } from "@csi-sidecars/csi-proxy/functions";
 * await disk.partitionDisk({ diskNumber: 2 });
 * ```
 *
 * Tests put a host API of their own below a group with `disk.useHostApi(fake)`, and `disk.resetHostApi()` takes it away again.
 */
export { close } from "./default-proxy.ts";
export * as disk from "./disk.ts";
export * as filesystem from "./filesystem.ts";
export * as iscsi from "./iscsi.ts";
export * as smb from "./smb.ts";
export * as system from "./system.ts";
export * as volume from "./volume.ts";
