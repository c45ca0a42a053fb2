export type Fields = Readonly<Record<string, unknown>>;

/**
 * Structured logging with klog's ideas: a message, key/value fields, verbosity levels, errors that are always shown.
 * Libraries only ever see this interface; the program chooses the format (klog text or JSON).
 */
export interface Logger {
  info(message: string, fields?: Fields): void;
  error(error: unknown, message: string, fields?: Fields): void;
  /** The same logger for lines of a higher verbosity: `log.v(4).info(...)` is dropped unless the program runs with `--v=4` or more. */
  v(level: number): Logger;
  /** Whether lines of this logger's level are shown: guards costly fields. */
  readonly enabled: boolean;
  /** A sub-logger; names join with dots. */
  named(name: string): Logger;
  with(fields: Fields): Logger;
}

export const silentLogger: Logger = {
  info() {},
  error() {},
  v: () => silentLogger,
  enabled: false,
  named: () => silentLogger,
  with: () => silentLogger,
};
