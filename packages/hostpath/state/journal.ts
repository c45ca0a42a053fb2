import { readFile } from "node:fs/promises";
import { type Logger, messageOf } from "@csi-sidecars/base";
import { decodeChanges, encodeChanges } from "./change-format.ts";
import { type AppendFile, openAppendFile } from "./durable-file.ts";
import { journalLine, readJournalLines } from "./journal-lines.ts";
import type { Home } from "./record-format.ts";
import type { Change } from "./records.ts";
import { StateDamage } from "./state-damage.ts";

/** Changes since the last checkpoint, one line per commit: the cost of a change does not grow with the state. */
export class Journal {
  readonly #file: AppendFile;
  #length: number;
  #lines: number;
  /** Set when what follows the last good line could not be cut off. */
  #dirty = false;

  private constructor(file: AppendFile, length: number, lines: number) {
    this.#file = file;
    this.#length = length;
    this.#lines = lines;
  }

  /** Opens a journal and gives its changes in their order. The rest of a line that was being written is cut off. */
  static async open(
    path: string,
    home: Home,
    log: Logger,
    openFile: (path: string) => Promise<AppendFile> = openAppendFile,
  ): Promise<{ readonly journal: Journal; readonly commits: readonly (readonly Change[])[] }> {
    const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return Buffer.alloc(0);
      throw new StateDamage(path, `cannot be read (${error.message})`);
    });
    const { lines, goodLength } = readJournalLines(path, content);
    const commits = lines.map((line, index) => {
      try {
        return decodeChanges(line, home);
      } catch (error) {
        throw new StateDamage(path, `line ${index + 1} is malformed (${messageOf(error)})`);
      }
    });
    const file = await openFile(path);
    if (goodLength < content.length) {
      log.info("Cut off an unfinished write at the end of the journal", { file: path, bytes: content.length - goodLength });
      await file.truncate(goodLength);
    }
    return { journal: new Journal(file, goodLength, lines.length), commits };
  }

  /** How many commits it holds. */
  get lines(): number {
    return this.#lines;
  }

  /** Writes commits and waits until they are durable; when that fails, none of them is kept. */
  async append(commits: readonly (readonly Change[])[]): Promise<void> {
    if (this.#dirty) await this.#cutOff();
    const bytes = Buffer.from(commits.map((changes) => journalLine(encodeChanges(changes))).join(""));
    try {
      await this.#file.append(bytes, this.#length);
      await this.#file.sync();
    } catch (error) {
      this.#dirty = true;
      await this.#cutOff().catch(() => {});
      throw error;
    }
    this.#length += bytes.length;
    this.#lines += commits.length;
  }

  /** Forgets everything: a checkpoint holds it now. */
  async clear(): Promise<void> {
    await this.#file.truncate(0);
    this.#length = 0;
    this.#lines = 0;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #cutOff(): Promise<void> {
    await this.#file.truncate(this.#length);
    this.#dirty = false;
  }
}
