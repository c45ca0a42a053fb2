import { readFile, stat } from "node:fs/promises";
import { type Logger, messageOf } from "@csi-sidecars/base";
import type { FaultRule, FaultRules } from "./fault-rules.ts";
import { parseRules } from "./read-rules.ts";

/** A file of rules that is read again when it changes. An invalid file leaves the rules as they are. */
export class RuleFile {
  readonly #path: string;
  readonly #rules: FaultRules;
  readonly #log: Logger;
  readonly #before: readonly FaultRule[];
  #version = "";
  #reading = Promise.resolve();

  /** The rules that are there already stay before those of the file. */
  constructor(path: string, rules: FaultRules, log: Logger) {
    this.#path = path;
    this.#rules = rules;
    this.#before = rules.rules;
    this.#log = log;
  }

  /** Reads the file for the first time; throws if it is invalid. */
  async load(): Promise<void> {
    try {
      this.#version = await this.#currentVersion();
      this.#use(parseRules(await readFile(this.#path, "utf8"), this.#path));
    } catch (error) {
      throw new Error(`--faults ${messageOf(error)}`, { cause: error });
    }
  }

  /** Called before each call, so that a change takes effect with the next one. Reads are serialized: no call proceeds while the file is being read. */
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
      this.#log.error(error, "Invalid fault rules, keeping the previous ones");
    }
  }

  #use(rules: readonly FaultRule[]): void {
    this.#rules.set([...this.#before, ...rules]);
  }

  async #currentVersion(): Promise<string> {
    const { mtimeNs, size, ino } = await stat(this.#path, { bigint: true });
    return `${mtimeNs} ${size} ${ino}`;
  }
}
