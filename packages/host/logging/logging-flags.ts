import type { Clock } from "@csi-sidecars/base";
import { goQuote } from "@csi-sidecars/base";
import { formatDuration } from "../flags/parse-values.ts";
import type { Settings } from "../flags/resolve.ts";
import type { ProcessValues } from "../flags/standard-flags.ts";
import type { Gates } from "../gates/feature-gates.ts";
import { type Logging, startLogging } from "./logging.ts";
import { bufferedSink, type Sink } from "./sink.ts";

/** What is wrong with the logging flags, in upstream's words. The caller ends with `LoggingConfiguration is invalid` and exit code 1. */
export function loggingProblems(flags: ProcessValues, gates: Gates): readonly string[] {
  const problems: string[] = [];
  if (!["text", "json"].includes(flags.loggingFormat)) {
    problems.push(`format: Invalid value: ${goQuote(flags.loggingFormat)}: Unsupported log format`);
  }
  if (flags.logFlushFrequency <= 0) {
    problems.push(`flushFrequency: Invalid value: ${goQuote(formatDuration(flags.logFlushFrequency))}: Must be greater than zero`);
  }
  if (flags.vmodule.length > 0 && flags.loggingFormat !== "text") problems.push("vmodule: Forbidden: Only supported for text log format");
  const alpha = {
    "options.text.splitStream": flags.logTextSplitStream,
    "options.text.infoBufferSize": flags.logTextInfoBufferSize !== 0,
    "options.json.splitStream": flags.logJsonSplitStream,
    "options.json.infoBufferSize": flags.logJsonInfoBufferSize !== 0,
  };
  for (const [field, used] of Object.entries(alpha)) {
    if (used && !gates.enabled("LoggingAlphaOptions")) problems.push(`${field}: Forbidden: Feature LoggingAlphaOptions is disabled`);
  }
  return problems;
}

/** What logging needs of the process. */
export interface LoggingEnv {
  readonly program: string;
  readonly pid: number;
  /** Whether local time is known to be UTC. */
  readonly utc?: boolean;
  readonly clock: Clock;
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/** Starts logging as the command line asks for it; its flags must have no problems. */
export function loggingFromFlags(settings: Settings, env: LoggingEnv): Logging {
  const { process, enabled } = settings;
  const json = process.loggingFormat === "json";
  const split = json ? process.logJsonSplitStream : process.logTextSplitStream;
  const buffer = json ? process.logJsonInfoBufferSize : process.logTextInfoBufferSize;
  const stdout = buffer > 0 ? bufferedSink(env.stdout, buffer, process.logFlushFrequency, env.clock) : env.stdout;
  return startLogging({
    format: json ? "json" : "text",
    verbosity: {
      all: process.v,
      byComponent: new Map(enabled.map((name) => [name, settings.verbosity(name)])),
      byPattern: process.vmodule,
    },
    program: env.program,
    pid: env.pid,
    ...(env.utc && { utc: true }),
    clock: env.clock,
    info: split ? stdout : env.stderr,
    error: env.stderr,
  });
}
