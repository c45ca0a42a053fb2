import { type Logger, messageOf } from "@csi-sidecars/base";
import { type ExitCode, exitCode } from "../flags/exit-code.ts";
import { readCommandLine } from "../flags/read-command-line.ts";
import type { Settings } from "../flags/resolve.ts";
import { gatesOf, readGates } from "../gates/read-gates.ts";
import { loggingFromFlags, loggingProblems } from "../logging/logging-flags.ts";
import { Manager } from "../manager/manager.ts";
import { missingEnvironment, planProcess } from "./plan-process.ts";
import type { ProcessEnv } from "./process-env.ts";
import { commandLineOf, type SidecarProgram } from "./sidecar-program.ts";

/** Runs a program from its command line to its exit code. It never ends the process itself. */
export async function runProgram(program: SidecarProgram, processEnv: ProcessEnv): Promise<ExitCode> {
  const command = readCommandLine(commandLineOf(program), processEnv.argv);
  switch (command.asks) {
    case "help":
      processEnv.stdout.write(command.text);
      return exitCode.clean;
    case "nothing":
      processEnv.stderr.write(`${command.misuse}\nRun ${program.name} --help for usage.\n`);
      return exitCode.misuse;
    case "run":
      return runWith(program, processEnv, command.settings);
  }
}

async function runWith(program: SidecarProgram, processEnv: ProcessEnv, settings: Settings): Promise<ExitCode> {
  const reading = readGates(gatesOf(commandLineOf(program)), settings.process.featureGates);
  const obstacles = reading.ok
    ? loggingProblems(settings.process, reading.gates).map((problem) => `LoggingConfiguration is invalid: ${problem}`)
    : reading.problems;
  for (const obstacle of obstacles) processEnv.stderr.write(`${obstacle}\n`);
  if (!reading.ok || obstacles.length > 0) return exitCode.failure;

  const logging = loggingFromFlags(settings, { ...processEnv, program: program.name });
  try {
    if (settings.process.version) {
      processEnv.stdout.write(`${program.name} ${program.version}\n`);
      return exitCode.clean;
    }
    const plan = planProcess(program, settings);
    const problems = [...settings.problems, ...plan.problems, ...missingEnvironment(plan, settings, processEnv.env)];
    const early =
      problems.length > 0 ? undefined : plan.enabled.map((one) => one.exitEarly?.(settings.of(one))).find((code) => code !== undefined);
    if (problems.length === 0 && early === undefined) processEnv.tune?.(plan.needsKube ? "controller" : "node");
    const root = processEnv.intercept?.logger?.(logging.logger) ?? logging.logger;
    const log = program.form === "all-in-one" ? root.named(program.name) : root;
    log.info("Version", { version: program.version });
    for (const { message, fields } of reading.warnings) log.info(message, fields);
    for (const warning of settings.warnings) log.info(`Warning: ${warning}`);
    for (const problem of problems) log.error(undefined, problem);
    if (problems.length > 0) return exitCode.failure;
    if (early !== undefined) return early;
    const code = await runManager(log, () => new Manager({ program, settings, plan, gates: reading.gates, processEnv, root, log }));
    // What was counted instead of shown comes before the last line.
    logging.flush();
    log.info("Exiting", { code });
    return code;
  } finally {
    logging.flush();
  }
}

/** A process that cannot start logs the message for its user, without a stack. */
async function runManager(log: Logger, create: () => Manager): Promise<ExitCode> {
  try {
    return await create().run();
  } catch (error) {
    log.error(undefined, messageOf(error));
    return exitCode.failure;
  }
}
