import type { Fields, Logger } from "@csi-sidecars/base";
import type { ModuleVerbosity } from "../flags/parse-values.ts";
import { errorText } from "./render-value.ts";

/** A log line before it is formatted. */
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

/** What the loggers of one process share. */
export interface LoggerCore {
  now(): number;
  threshold(logger: string): number;
  show(line: LogLine): void;
}

const noFields: Fields = {};

/** A logger of a process. Its children for higher levels are kept, because `log.v(5).info(...)` is on hot paths. */
export class StructuredLogger implements Logger {
  readonly enabled: boolean;
  readonly #core: LoggerCore;
  readonly #name: string;
  readonly #threshold: number;
  readonly #level: number;
  readonly #fields: Fields;
  readonly #higher: StructuredLogger[] = [];

  constructor(core: LoggerCore, name = "", level = 0, fields: Fields = noFields, threshold = core.threshold(name)) {
    this.#core = core;
    this.#name = name;
    this.#level = level;
    this.#fields = fields;
    this.#threshold = threshold;
    this.enabled = level <= threshold;
  }

  info(message: string, fields?: Fields): void {
    if (this.enabled) this.#show("info", message, undefined, fields);
  }

  error(error: unknown, message: string, fields?: Fields): void {
    this.#show("error", message, error === undefined || error === null ? undefined : errorText(error), fields);
  }

  v(level: number): Logger {
    if (level <= 0) return this;
    const higher = this.#higher[level];
    if (higher) return higher;
    const made = new StructuredLogger(this.#core, this.#name, this.#level + level, this.#fields, this.#threshold);
    this.#higher[level] = made;
    return made;
  }

  named(name: string): Logger {
    return new StructuredLogger(this.#core, this.#name === "" ? name : `${this.#name}.${name}`, this.#level, this.#fields);
  }

  with(fields: Fields): Logger {
    return new StructuredLogger(this.#core, this.#name, this.#level, { ...this.#fields, ...fields }, this.#threshold);
  }

  #show(severity: LogLine["severity"], message: string, error: string | undefined, fields: Fields | undefined): void {
    const all = this.#fields === noFields ? [fields ?? noFields] : fields ? [this.#fields, fields] : [this.#fields];
    this.#core.show({ time: this.#core.now(), severity, level: this.#level, logger: this.#name, message, error, fields: all });
  }
}

/** Which lines are shown, by logger. */
export interface Verbosity {
  /** `--v`. */
  readonly all: number;
  /** `--<controller>-v`, by the first part of a logger's name; may be less than `all`. */
  readonly byComponent?: ReadonlyMap<string, number>;
  /** `--vmodule`: raises loggers that match. */
  readonly byPattern?: readonly ModuleVerbosity[];
}

/** The highest level shown of a logger. A pattern that matches `attacher` also holds for `attacher.va`; the first that matches decides. */
export function threshold(logger: string, { all, byComponent, byPattern = [] }: Verbosity): number {
  const parts = logger.split(".");
  const own = byComponent?.get(parts[0] ?? "") ?? all;
  const names = parts.map((_, index) => parts.slice(0, index + 1).join("."));
  const matching = byPattern.find(({ pattern }) => names.some((name) => matches(pattern, name)));
  return Math.max(own, matching?.verbosity ?? 0);
}

/** `*` stands for anything, `?` for one character. */
function matches(pattern: string, name: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${expression}$`).test(name);
}
