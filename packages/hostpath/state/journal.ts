import { readFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { type Logger, messageOf } from "@csi-sidecars/base";
import { type AppendFile, openAppendFile, StateFileError } from "./durable-file.ts";
import { Field } from "./json-field.ts";
import { decodeGroup, decodeSnapshot, decodeVolume, encodeGroup, encodeSnapshot, encodeVolume, type StateOwner } from "./record-format.ts";
import type { Change } from "./records.ts";

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
    owner: StateOwner,
    log: Logger,
    openFile: (path: string) => Promise<AppendFile> = openAppendFile,
  ): Promise<{ readonly journal: Journal; readonly commits: readonly (readonly Change[])[] }> {
    const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return Buffer.alloc(0);
      throw new StateFileError(path, `cannot be read (${error.message})`);
    });
    const { lines, goodLength } = readJournalLines(path, content);
    const commits = lines.map((line, index) => {
      try {
        return decodeChanges(line, owner);
      } catch (error) {
        throw new StateFileError(path, `line ${index + 1} is malformed (${messageOf(error)})`);
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

/** A line of the journal: a checksum, a space, JSON. */
export function journalLine(json: string): string {
  return `${checksum(json)} ${json}\n`;
}

/** The lines of a journal, and where its last whole line ends. */
interface JournalContent {
  readonly lines: readonly string[];
  /** In bytes. What follows is an incomplete line: its commit was never acknowledged. */
  readonly goodLength: number;
}

/** Splits a journal into lines. A damaged line before the last is not an interrupted write but an error. */
function readJournalLines(file: string, content: Buffer): JournalContent {
  const goodLength = content.lastIndexOf(0x0a) + 1;
  const texts = content.subarray(0, goodLength).toString("utf8").split("\n").slice(0, -1);
  const lines = texts.map((text, index) => {
    const json = text.slice(9);
    if (text[8] !== " " || text.slice(0, 8) !== checksum(json))
      throw new StateFileError(file, `line ${index + 1} does not match its checksum`);
    return json;
  });
  return { lines, goodLength };
}

const checksum = (json: string) => crc32(json).toString(16).padStart(8, "0");

/** The JSON of changes that belong together: one line of the journal. */
function encodeChanges(changes: readonly Change[]): string {
  return JSON.stringify(changes.map(encodeChange));
}

function encodeChange(change: Change): object {
  if ("remove" in change) return { Remove: change.remove, Id: change.id };
  switch (change.put) {
    case "volume":
      return { Volume: encodeVolume(change.record) };
    case "snapshot":
      return { Snapshot: encodeSnapshot(change.record) };
    case "group":
      return { GroupSnapshot: encodeGroup(change.record) };
  }
}

/** Reads what {@link encodeChanges} wrote; throws an error that names the field that is not as it should be. */
function decodeChanges(json: string, owner: StateOwner): Change[] {
  return new Field(JSON.parse(json), "changes").list().map((field) => decodeChange(field, owner));
}

function decodeChange(field: Field, owner: StateOwner): Change {
  if (!field.at("Volume").absent) return { put: "volume", record: decodeVolume(field.at("Volume"), owner) };
  if (!field.at("Snapshot").absent) return { put: "snapshot", record: decodeSnapshot(field.at("Snapshot"), owner, () => "mount") };
  if (!field.at("GroupSnapshot").absent) return { put: "group", record: decodeGroup(field.at("GroupSnapshot")) };
  const remove = field.at("Remove").text();
  if (remove !== "volume" && remove !== "snapshot" && remove !== "group") throw new Error(`${field.path} is no change`);
  return { remove, id: field.at("Id").id() };
}
