/** For tests of drivers: a simulated host to run whole sequences on, and recorded answers for single calls. */
export { type RecordedCall, RecordedExecutor, type RecordedReply } from "../powershell/recorded-executor.ts";
export { FolderPaths } from "./folder-paths.ts";
export { type LastOperation, mortalExecutor } from "./mortal-executor.ts";
export { page83Descriptor } from "./page83-descriptor.ts";
export type { SimulatedDisk, SimulatedPartition, SimulatedVolume } from "./simulated-disk.ts";
export type { AttachedDisk, SimulatedDisks } from "./simulated-disks.ts";
export { SimulatedHost, type SimulatedHostOptions } from "./simulated-host.ts";
export { type SimulatedOperation, type SimulatedPart, SimulatedScriptError } from "./simulated-part.ts";
export { MemoryPaths, pathKey, type SimulatedEntry, type SimulatedPaths } from "./simulated-paths.ts";
export type { SimulatedReparsePoints } from "./simulated-reparse-points.ts";
export type { SimulatedService, SimulatedServices } from "./simulated-services.ts";
export type { SimulatedMapping, SimulatedShare, SimulatedShares } from "./simulated-shares.ts";
export type { SimulatedTarget, SimulatedTargets } from "./simulated-targets.ts";
export type { SimulatedVolumes } from "./simulated-volumes.ts";
