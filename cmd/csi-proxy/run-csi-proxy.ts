import { messageOf } from "@csi-sidecars/base";
import { isProtocolViolation } from "@csi-sidecars/csi";
import { ServerFailure } from "@csi-sidecars/csi-proxy/server";
import {
  buildVersion,
  type ExitCode,
  exitCode,
  isUtc,
  type Logging,
  readCommandLine,
  startLogging,
} from "@csi-sidecars/host/plain-program";
import { type CsiProxyFlags, csiProxyFlags, program } from "./flags.ts";
import { allOf, logFile } from "./log-file.ts";
import type { ProgramEnv } from "./program-env.ts";
import { serve } from "./serve.ts";

/** Runs the program from its command line to its exit code. It never ends the process itself. */
export async function runCsiProxy(env: ProgramEnv): Promise<ExitCode> {
  const command = readCommandLine(program, env.argv);
  if (command.asks === "help") {
    env.stdout.write(command.text);
    return exitCode.clean;
  }
  if (command.asks === "nothing") return misuse(env, [command.misuse]);
  const { settings } = command;
  if (settings.process.version) {
    env.stdout.write(`${program.name} ${buildVersion.version}\n`);
    return exitCode.clean;
  }
  const flags = settings.of(csiProxyFlags);
  const problems = [...settings.problems, ...platformProblems(flags, env.platform)];
  if (problems.length > 0) return misuse(env, problems);
  let logging: Logging;
  try {
    logging = logAsFlagsSay(flags, env, { all: settings.process.v, byPattern: settings.process.vmodule });
  } catch (error) {
    env.stderr.write(`--log_file: ${messageOf(error)}\n`);
    return exitCode.failure;
  }
  return runWith(flags, env, logging);
}

async function runWith(flags: CsiProxyFlags, env: ProgramEnv, { logger: log, flush }: Logging): Promise<ExitCode> {
  env.onFault((error) => {
    // What a client does wrong must not end the service of the others, nor what nobody thought of.
    if (isProtocolViolation(error)) log.v(4).info("A client broke the rules of HTTP/2", { err: messageOf(error) });
    else log.error(error, "Unhandled error");
  });
  try {
    return await serve(flags, env, log);
  } catch (error) {
    for (const reason of error instanceof ServerFailure ? error.reasons : [messageOf(error)]) log.error(undefined, reason);
    return exitCode.failure;
  } finally {
    flush();
  }
}

function misuse({ stderr }: ProgramEnv, problems: readonly string[]): ExitCode {
  stderr.write(`${[...problems, `Run ${program.name} --help for usage.`].join("\n")}\n`);
  return exitCode.misuse;
}

/** What is wrong with the flags on this platform. */
function platformProblems({ endpointDir, devHostRoot }: CsiProxyFlags, platform: NodeJS.Platform): readonly string[] {
  if (platform === "win32") return devHostRoot === "" ? [] : ["--dev-host-root: Windows has drives of its own"];
  return endpointDir === "" ? ["--endpoint-dir is required: only Windows has named pipes"] : [];
}

function logAsFlagsSay(flags: CsiProxyFlags, env: ProgramEnv, verbosity: Parameters<typeof startLogging>[0]["verbosity"]): Logging {
  const { stderr, clock, pid } = env;
  const isFile = !flags.logtostderr && flags.log_file !== "";
  const file = isFile ? logFile(flags.log_file, flags.log_file_max_size * 1024 * 1024) : undefined;
  const both = file ? allOf(file, stderr) : stderr;
  return startLogging({
    ...{ format: "text", messages: "plain", verbosity, program: program.name, pid, utc: env.platform !== "win32" && isUtc(env.env), clock },
    info: flags.alsologtostderr ? both : (file ?? stderr),
    error: both,
  });
}
