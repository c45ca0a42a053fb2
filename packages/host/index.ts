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
export { type ExitCode, exitCode } from "./flags/exit-code.ts";
export { aboveZero, type Flag, type FlagOptions, type FlagTable, type FlagValues, notBelowZero } from "./flags/flag.ts";
export { bool, choice, duration, float, int, list, retired, text, uint } from "./flags/flag-types.ts";
export { flagsTable } from "./flags/help.ts";
export { klogFlags } from "./flags/klog-flags.ts";
export { leadingWordsAsFlags } from "./flags/leading-words.ts";
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
export { type Gate, type Gates, type GateTable, gate, type Stage } from "./gates/feature-gates.ts";
export { gatesOf } from "./gates/read-gates.ts";
export type * from "./http/routes.ts";
export type { KindNeed } from "./kind-need.ts";
export { isNotLeading } from "./leadership/leader-permit.ts";
export { buildVersion } from "./program/build-version.ts";
export { type Interceptors, type ProcessEnv, realProcessEnv } from "./program/process-env.ts";
export { runProgram } from "./program/run-program.ts";
export type { SidecarProgram, StartReport } from "./program/sidecar-program.ts";
export type { PolicyRule, RbacRules } from "./rbac-rules.ts";
export { aborted } from "./signals.ts";
export type { ConditionReason, ConditionReport, VolumeCondition } from "./volume-conditions.ts";
export type { EventReason, MessageRemedy, OperationReport, VolumeOperation } from "./volume-operations.ts";
