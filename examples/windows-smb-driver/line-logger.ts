import { type Fields, type Logger, messageOf } from "@csi-sidecars/base";

/** Logs lines of JSON. Nothing that is logged here or in the library is a secret. */
export function lineLogger(write: (line: string) => void, verbosity: number, level = 0, bound: Fields = {}): Logger {
  const print = (severity: string, msg: string, fields: Fields) =>
    write(`${JSON.stringify({ time: new Date().toISOString(), severity, msg, ...bound, ...fields }, bigintAsText)}\n`);
  return {
    enabled: level <= verbosity,
    info(message, fields = {}) {
      if (level <= verbosity) print("info", message, fields);
    },
    error: (error, message, fields = {}) => print("error", message, { err: messageOf(error), ...fields }),
    v: (more) => lineLogger(write, verbosity, level + more, bound),
    named: (name) => lineLogger(write, verbosity, level, { ...bound, logger: name }),
    with: (fields) => lineLogger(write, verbosity, level, { ...bound, ...fields }),
  };
}

const bigintAsText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);
