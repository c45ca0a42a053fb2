/** The v1 server: what csi-proxy serves on its named pipes, and how. */
export { type ApiGroupName, apiGroups, type GroupVersion, groupVersions, type VersionOf } from "./api-groups.ts";
export { type ApiVersion, compareApiVersions, parseApiVersion } from "./api-version.ts";
export { auditLog } from "./audit-log.ts";
export { CsiProxyServer, type CsiProxyServerOptions, type ServerEndpoint, ServerFailure } from "./csi-proxy-server.ts";
export { endpointOf, pipePath } from "./endpoint.ts";
export type { CsiProxyHandlers } from "./library.ts";
export { type CallObserver, type HandledCall, observedService } from "./observed-service.ts";
export type { SandboxOptions } from "./sandbox.ts";
export { callMetrics, powershellMetrics } from "./server-metrics.ts";
export { type ServedVersion, serviceFor } from "./service-for.ts";
