/** The API of the v1 server: what csi-proxy serves on its pipes, without the pipes. */
export { type ApiGroupName, apiGroups, type GroupVersion, groupVersions, type VersionOf } from "./api-groups.ts";
export { type ApiVersion, compareApiVersions, parseApiVersion } from "./api-version.ts";
export type { CsiProxyHandlers } from "./library.ts";
export type { SandboxOptions } from "./sandbox.ts";
export { type ServedVersion, serviceFor } from "./service-for.ts";
