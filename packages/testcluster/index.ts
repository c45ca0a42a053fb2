export { type ApiServer, type ApiServerOptions, startApiServer } from "./apiserver/api-server.ts";
export type { ActiveFault, Fault, FaultAction } from "./apiserver/faults.ts";
export type { RecordedRequest, RequestFilter } from "./apiserver/request-log.ts";
export type { RequestMatch } from "./apiserver/request-match.ts";
export type { Cluster, ClusterOptions, TestUser } from "./cluster/cluster.ts";
export { type Relay, startRelay } from "./cluster/relay.ts";
export { startCluster, stopSharedClusters } from "./cluster/start-cluster.ts";
export type { NodeHooks } from "./controllers/kubelet/node-hooks.ts";
export { type StorageControllers, type StorageControllersOptions, startStorageControllers } from "./controllers/start.ts";
