import type { Clock } from "@csi-sidecars/base";
import { formatDuration } from "../flags/parse-values.ts";
import type { Settings } from "../flags/resolve.ts";
import type { ProcessValues } from "../flags/standard-flags.ts";
import type { Gates } from "../gates/feature-gates.ts";
import { goQuote } from "./go-quote.ts";
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

/** The world that logging needs. */
export interface LoggingWorld {
  readonly program: string;
  readonly pid: number;
  /** Whether local time is known to be UTC. */
  readonly utc?: boolean;
  readonly clock: Clock;
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/** Starts logging as the command line asks for it; its flags must have no problems. */
export function loggingFromFlags(settings: Settings, world: LoggingWorld): Logging {
  const { process, enabled } = settings;
  const json = process.loggingFormat === "json";
  const split = json ? process.logJsonSplitStream : process.logTextSplitStream;
  const buffer = json ? process.logJsonInfoBufferSize : process.logTextInfoBufferSize;
  const stdout = buffer > 0 ? bufferedSink(world.stdout, buffer, process.logFlushFrequency, world.clock) : world.stdout;
  return startLogging({
    format: json ? "json" : "text",
    verbosity: {
      all: process.v,
      byComponent: new Map(enabled.map((name) => [name, settings.verbosity(name)])),
      byPattern: process.vmodule,
    },
    program: world.program,
    pid: world.pid,
    ...(world.utc && { utc: true }),
    clock: world.clock,
    info: split ? stdout : world.stderr,
    error: world.stderr,
  });
}
