import { crc32 } from "node:zlib";
import { StateDamage } from "./state-damage.ts";

/** A line of the journal: a checksum, a space, JSON. */
export function journalLine(json: string): string {
  return `${checksum(json)} ${json}\n`;
}

/** The lines of a journal, and where its last whole line ends. */
export interface JournalContent {
  readonly lines: readonly string[];
  /** In bytes. What comes after it is the beginning of a line whose writing was cut off: nobody was told that it was kept. */
  readonly goodLength: number;
}

/** Takes a journal apart. A damaged line that is followed by others is no interrupted write, and an error. */
export function readJournalLines(file: string, content: Buffer): JournalContent {
  const goodLength = content.lastIndexOf(0x0a) + 1;
  const texts = content.subarray(0, goodLength).toString("utf8").split("\n").slice(0, -1);
  const lines = texts.map((text, index) => {
    const json = text.slice(9);
    if (text[8] !== " " || text.slice(0, 8) !== checksum(json))
      throw new StateDamage(file, `line ${index + 1} does not match its checksum`);
    return json;
  });
  return { lines, goodLength };
}

const checksum = (json: string) => crc32(json).toString(16).padStart(8, "0");
