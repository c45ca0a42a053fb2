export { type ApiServer, type ApiServerOptions, startApiServer } from "./apiserver/api-server.ts";
export type { ActiveFault, Fault, FaultAction } from "./apiserver/faults.ts";
export type { RecordedRequest, RequestFilter, RequestMatch } from "./apiserver/request-log.ts";
export { humanDuration } from "./apiserver/table/column.ts";
export type { Cluster, ClusterOptions, TestUser } from "./cluster/cluster.ts";
export { grantRole } from "./cluster/grant-role.ts";
export { installDefinitions } from "./cluster/install-definitions.ts";
export { type Relay, startRelay, startSocketRelay } from "./cluster/relay.ts";
export { startCluster, stopSharedClusters } from "./cluster/start-cluster.ts";
export { type ComponentWorld, type ComponentWorldOptions, type EventSubject, startComponentWorld } from "./component/component-world.ts";
export { type ComponentRun, type StartComponentOptions, startComponent } from "./component/start-component.ts";
export { fastFlags, type TestedComponent, type TestedComponentOptions } from "./component/tested-component.ts";
export { shortestResync, untilResynced } from "./component/until-resynced.ts";
export { attachmentName } from "./controllers/attach-detach/plan-attachments.ts";
export { failureOfCall, type NodeExpansionFailure } from "./controllers/kubelet/expansion-failure.ts";
export type { NodeHooks } from "./controllers/kubelet/kubelet.ts";
export { filterReason } from "./controllers/scheduler/unschedulable.ts";
export { type StorageControllers, type StorageControllersOptions, startStorageControllers } from "./controllers/storage-controllers.ts";
export type { CallOutcome, DriverCall } from "./driver/call-log.ts";
export { type Capabilities, type Preset, presets } from "./driver/capabilities.ts";
export type { DriverOptions } from "./driver/driver-options.ts";
export { type HungDriver, startHungDriver } from "./driver/hung-driver.ts";
export type { Answer, Method, Request } from "./driver/methods.ts";
export { type DriverProcess, startDriverProcess } from "./driver/process/driver-process.ts";
export type { DriverState, VolumeState } from "./driver/process/operations.ts";
export type { RandomFaults } from "./driver/random-faults.ts";
export { ScriptedDriver, startScriptedDriver } from "./driver/scripted-driver.ts";
export { type Script, type Step, step } from "./driver/step.ts";
export { PluginWatcher, type PluginWatcherOptions, startPluginWatcher, type WatcherRecord } from "./kubelet/plugin-watcher.ts";
export type { RegisterPlugin } from "./kubelet/register-plugin.ts";
export type { Disturbance } from "./program/client-disturbances.ts";
export {
  type CrashPoint,
  crashAtEveryStep,
  crashingClient,
  crashingDriver,
  type Restartable,
  stepOrCrash,
  withRestart,
} from "./program/crash-at-every-step.ts";
export { HeldWatches, type Release } from "./program/held-watches.ts";
export { connectionReset, interceptedClient, type ObjectVerb } from "./program/intercepted-client.ts";
export { RelistedKind } from "./program/relisted-kind.ts";
export { type ProgramRun, type RunOptions, runInProcess } from "./program/run-in-process.ts";
export { controlPlanePrograms, findAssets, installedAssets } from "./real/assets.ts";
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./real/control-plane.ts";
export { freePort } from "./real/free-port.ts";
export type { ProcessWatch } from "./real/process.ts";
