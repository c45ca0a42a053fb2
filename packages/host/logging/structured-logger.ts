import type { Fields, Logger } from "@csi-sidecars/base";
import type { LogLine } from "./log-line.ts";
import { errorText } from "./render-value.ts";

/** What the loggers of one process share. */
export interface LoggerCore {
  now(): number;
  threshold(logger: string): number;
  show(line: LogLine): void;
}

const noFields: Fields = {};

/** A logger of a process. Its children for higher levels are kept, because `log.v(5).info(...)` stands on hot paths. */
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
