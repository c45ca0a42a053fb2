import type { Clock, Logger } from "@csi-sidecars/base";
import { jsonFormat, type LineFormat, textFormat } from "./formats.ts";
import { preciseTime } from "./precise-time.ts";
import { RepeatedErrors } from "./repeated-errors.ts";
import type { Sink } from "./sink.ts";
import { type LogLine, StructuredLogger, threshold, type Verbosity } from "./structured-logger.ts";

export interface LoggingOptions {
  readonly format: "text" | "json";
  /** Whether text has its messages in quotes, as klog's structured lines do; quoted unless told. */
  readonly messages?: "quoted" | "plain";
  readonly verbosity: Verbosity;
  /** In the header of text lines. */
  readonly program: string;
  readonly pid: number;
  /** Whether local time is known to be UTC. */
  readonly utc?: boolean;
  readonly clock: Clock;
  /** Info lines and error lines; the same sink keeps them in one stream. */
  readonly info: Sink;
  readonly error: Sink;
  /** For how long equal errors are counted instead of shown; 0 shows them all. */
  readonly foldErrorsMs?: number;
}

/** The logging of a process. */
export interface Logging {
  /** The logger without name, of which all others are made. */
  readonly logger: Logger;
  /** Writes everything that is still held back. Call it before the process ends. */
  flush(): void;
}

/** Starts logging. A value is rendered only when its line is shown; a line is out when the call returns, unless a sink buffers it. */
export function startLogging(options: LoggingOptions): Logging {
  const { clock, info, error, verbosity, foldErrorsMs = 60_000 } = options;
  const format: LineFormat =
    options.format === "json" ? jsonFormat : textFormat(options.program, options.pid, options.utc, options.messages);
  const showError = (line: LogLine) => error.write(format(line));
  const errors = foldErrorsMs > 0 ? new RepeatedErrors(clock, foldErrorsMs, showError) : undefined;
  const core = {
    now: preciseTime(clock),
    threshold: (logger: string) => threshold(logger, verbosity),
    show(line: LogLine) {
      if (line.severity === "info") info.write(format(line));
      else if (errors) errors.add(line);
      else showError(line);
    },
  };
  return {
    logger: new StructuredLogger(core),
    flush() {
      errors?.flush();
      info.flush();
      error.flush();
    },
  };
}
