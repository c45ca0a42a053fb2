export type { CertificatePair } from "./access/certificate-authority.ts";
export type { Credential } from "./access/kubeconfig.ts";
export { type ApiServer, type ApiServerOptions, startApiServer } from "./api-server.ts";
export type { ActiveFault, Fault, FaultAction, Faults } from "./faults.ts";
export type { RecordedRequest, RequestFilter, RequestLog } from "./request-log.ts";
export type { RequestMatch } from "./request-match.ts";
export type { Snapshot } from "./snapshot.ts";
