export {
  type Component,
  type ComponentContext,
  component,
  type Driver,
  type DriverNeed,
  type Endpoint,
  type EndpointQuestions,
  type Running,
} from "./component.ts";
export { isNotLeading } from "./driver/refusal.ts";
export { aboveZero, notBelowZero } from "./flags/checks.ts";
export { type ExitCode, exitCode } from "./flags/exit-code.ts";
export type { Flag, FlagOptions, FlagTable, FlagValues } from "./flags/flag.ts";
export * from "./flags/flag-types.ts";
export { flagsTable } from "./flags/flags-table.ts";
export { helpText } from "./flags/help.ts";
export { type Commands, componentsOf, type FlagOwner, type FlagQuestions, type Program, type SeparateProgram } from "./flags/program.ts";
export { type CommandLine, readCommandLine } from "./flags/read-command-line.ts";
export type { Settings } from "./flags/resolve.ts";
export {
  type GenericFlag,
  genericFlags,
  kubeApiFlags,
  loggingFlagNames,
  type ProcessFlag,
  type ProcessValues,
  processFlags,
  retryFlags,
  sidecarFlagNames,
} from "./flags/standard-flags.ts";
export { type Gate, type Gates, type GateTable, gate, type Stage } from "./gates/gates.ts";
export { gatesOf } from "./gates/program-gates.ts";
export type * from "./http/routes.ts";
export { type Interceptors, type OutsideWorld, realWorld } from "./process/outside-world.ts";
export { runProgram } from "./process/run-program.ts";
export type { SidecarProgram } from "./process/sidecar-program.ts";
export type { StartReport, Surroundings } from "./process/start-report.ts";
export type { PolicyRule, RbacRules } from "./rbac-rules.ts";
export type { EventReason, MessageRemedy, OperationReport, VolumeOperation } from "./volume-operations.ts";
