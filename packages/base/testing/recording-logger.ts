import type { Fields, Logger } from "../logger.ts";

export interface LogLine {
  readonly severity: "info" | "error";
  readonly level: number;
  readonly logger: string;
  readonly message: string;
  readonly error?: unknown;
  readonly fields: Fields;
}

/** A logger that keeps every line up to `verbosity`, for tests that ask what was said. */
export function recordingLogger(verbosity = 10): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const make = (logger: string, level: number, bound: Fields): Logger => ({
    info(message, fields) {
      if (level <= verbosity) lines.push({ severity: "info", level, logger, message, fields: { ...bound, ...fields } });
    },
    error(error, message, fields) {
      lines.push({ severity: "error", level, logger, message, error, fields: { ...bound, ...fields } });
    },
    v: (more) => make(logger, level + more, bound),
    enabled: level <= verbosity,
    named: (name) => make(logger ? `${logger}.${name}` : name, level, bound),
    with: (fields) => make(logger, level, { ...bound, ...fields }),
  });
  return Object.assign(make("", 0, {}), { lines });
}
