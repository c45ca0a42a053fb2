import { readFile, stat } from "node:fs/promises";
import type { Logger } from "@csi-sidecars/base";
import { parseRules } from "./read-rules.ts";
import type { RuleBook } from "./rule-book.ts";

/** A file of rules that is read again when it has changed. A file with mistakes leaves the rules as they are. */
export class RuleFile {
  readonly #path: string;
  readonly #book: RuleBook;
  readonly #log: Logger;
  #version = "";

  constructor(path: string, book: RuleBook, log: Logger) {
    this.#path = path;
    this.#book = book;
    this.#log = log;
  }

  /** Reads the file for the first time: mistakes are the caller's to report. */
  async load(): Promise<void> {
    try {
      this.#version = await this.#currentVersion();
      this.#book.set(parseRules(await readFile(this.#path, "utf8"), this.#path));
    } catch (error) {
      throw new Error(`--faults ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }

  /** Called before each call, so that a change takes effect with the next one. */
  async refresh(): Promise<void> {
    const version = await this.#currentVersion().catch(() => "gone");
    if (version === this.#version) return;
    this.#version = version;
    try {
      this.#book.set(version === "gone" ? [] : parseRules(await readFile(this.#path, "utf8"), this.#path));
    } catch (error) {
      this.#log.error(error, "The fault rules stay as they were");
    }
  }

  async #currentVersion(): Promise<string> {
    const { mtimeNs, size, ino } = await stat(this.#path, { bigint: true });
    return `${mtimeNs} ${size} ${ino}`;
  }
}
