/** A line before it has a format. */
export interface LogLine {
  /** Wall time in milliseconds. */
  readonly time: number;
  readonly severity: "info" | "error";
  /** Verbosity of an info line. */
  readonly level: number;
  /** Dotted name of the logger; empty for the root. */
  readonly logger: string;
  readonly message: string;
  /** The error in words; absent when there is none. */
  readonly error?: string;
  /** Fields in their order; the logger's own first. A later one replaces an earlier one of the same name. */
  readonly fields: readonly Readonly<Record<string, unknown>>[];
}

/** Makes a line the text that is written, with the line break at its end. */
export type LineFormat = (line: LogLine) => string;

/** The fields of a line, each name once with its last value, at the place where it was first named. */
export function mergedFields(line: LogLine): readonly (readonly [string, unknown])[] {
  const [first, ...others] = line.fields;
  if (others.length === 0) return Object.entries(first ?? {});
  return Object.entries(Object.assign({}, first, ...others) as Record<string, unknown>);
}
