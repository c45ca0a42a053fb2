/** What a sub-command needs beyond `index.ts`. The running process does not enter here, so it loads nothing for it. */
export { objectName } from "./flags/checks.ts";
export { formatDuration } from "./flags/go-duration.ts";
export { Misuse } from "./flags/misuse.ts";
export { type CommandResult, readSubCommand, type SubCommand } from "./flags/sub-command.ts";
export { tolerantGates } from "./gates/tolerant-gates.ts";
export { controllersAnnotation } from "./leadership/other-controllers.ts";
export { missingEnvironment } from "./process/missing-environment.ts";
export { type Plan, planOf } from "./process/plan.ts";
export { Preparation, type Verdict } from "./process/preparation.ts";
export { electionRules, neededRules } from "./rbac-rules.ts";
export { unlessAborted } from "./supervisor/waiting.ts";
