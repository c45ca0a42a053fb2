import { readFile, stat } from "node:fs/promises";
import { type Logger, messageOf } from "@csi-sidecars/base";
import { parseRules } from "./read-rules.ts";
import type { FaultRule } from "./rule.ts";
import type { RuleBook } from "./rule-book.ts";

/** A file of rules that is read again when it has changed. A file with mistakes leaves the rules as they are. */
export class RuleFile {
  readonly #path: string;
  readonly #book: RuleBook;
  readonly #log: Logger;
  readonly #before: readonly FaultRule[];
  #version = "";
  #reading = Promise.resolve();

  /** The rules that the book has already stay before those of the file. */
  constructor(path: string, book: RuleBook, log: Logger) {
    this.#path = path;
    this.#book = book;
    this.#before = book.rules;
    this.#log = log;
  }

  /** Reads the file for the first time: mistakes are the caller's to report. */
  async load(): Promise<void> {
    try {
      this.#version = await this.#currentVersion();
      this.#use(parseRules(await readFile(this.#path, "utf8"), this.#path));
    } catch (error) {
      throw new Error(`--faults ${messageOf(error)}`, { cause: error });
    }
  }

  /** Called before each call, so that a change takes effect with the next one; one looks after the other, so that none goes on while it is being read. */
  refresh(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readAgain());
    return this.#reading;
  }

  async #readAgain(): Promise<void> {
    const version = await this.#currentVersion().catch(() => "gone");
    if (version === this.#version) return;
    this.#version = version;
    try {
      this.#use(version === "gone" ? [] : parseRules(await readFile(this.#path, "utf8"), this.#path));
    } catch (error) {
      this.#log.error(error, "The fault rules stay as they were");
    }
  }

  #use(rules: readonly FaultRule[]): void {
    this.#book.set([...this.#before, ...rules]);
  }

  async #currentVersion(): Promise<string> {
    const { mtimeNs, size, ino } = await stat(this.#path, { bigint: true });
    return `${mtimeNs} ${size} ${ino}`;
  }
}
