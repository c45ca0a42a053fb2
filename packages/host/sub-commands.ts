/** What a sub-command needs beyond `index.ts`. The running process does not enter here, so it loads nothing for it. */
export { Misuse } from "./flags/exit-code.ts";
export { camelCase, numberAt, objectName } from "./flags/flag.ts";
export {
  type Fan,
  fans,
  givenFlags,
  individualFlag,
  individualFlags,
  individualValues,
  normalForm,
} from "./flags/given-flags.ts";
export { formatDuration } from "./flags/parse-values.ts";
export { canonical as canonicalFlag } from "./flags/spellings.ts";
export { type CommandResult, readOwnFlags, readSubCommand, type SubCommand } from "./flags/sub-command.ts";
export { readGates, tolerantGates } from "./gates/read-gates.ts";
export { parseListenAddress } from "./http/listen.ts";
export { neededKinds } from "./kind-need.ts";
export { ServedKinds } from "./kube/served-kinds.ts";
export { workLimit } from "./kube/work-limit.ts";
export { controllersAnnotation } from "./leadership/controllers-annotation.ts";
export { sharedLeaseName } from "./leadership/lease-identity.ts";
export { isMigrationIdentity } from "./leadership/migration-identity.ts";
export { migratedControllers } from "./leadership/migration-marker.ts";
export { ComponentSupport, type Support } from "./manager/component-support.ts";
export { missingEnvironment, type ProcessPlan, planProcess } from "./program/plan-process.ts";
export { processNamespaces } from "./program/process-namespaces.ts";
export { commandLineOf } from "./program/sidecar-program.ts";
export { electionRules, neededRules } from "./rbac-rules.ts";
export { unlessAborted } from "./signals.ts";
