import type { Spelling } from "./spellings.ts";

/** A part of a text, from `start` to before `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * How much may be compared in one search: one for each comparison and for each 256 bytes of it, about 20 ms in all. Real secrets
 * and errors need a hundredth; this is for those made to be slow.
 */
const maxWork = 200_000;

/**
 * Finds many spellings in one pass: they are kept by their first three bytes, and a table of bits tells for nearly every place of a
 * text that none starts there.
 */
export class SpellingFinder {
  readonly #byStart = new Map<number, Spelling[]>();
  readonly #mayStart = new Uint8Array(1 << 16);
  #work = 0;

  constructor(spellings: Iterable<Spelling>) {
    const known = new Set<string>();
    for (const spelling of spellings) {
      if (known.has(spelling.bytes)) continue;
      known.add(spelling.bytes);
      const start = startAt(spelling.bytes, 0);
      const same = this.#byStart.get(start);
      if (same) same.push(spelling);
      else this.#byStart.set(start, [spelling]);
      this.#mayStart[slot(start)] = 1;
    }
    for (const same of this.#byStart.values()) same.sort((a, b) => b.bytes.length - a.bytes.length);
  }

  /** Where the spellings are in a byte string, the longest of each place; `undefined` where finding out takes too long. */
  find(bytes: string): Range[] | undefined {
    const found: Range[] = [];
    for (let place = 0; place + 2 < bytes.length; place++) {
      const start = startAt(bytes, place);
      if (this.#mayStart[slot(start)] === 0) continue;
      const candidates = this.#byStart.get(start) ?? [];
      const spelling = candidates.find((candidate) => {
        this.#work += 1 + (candidate.bytes.length >>> 8);
        return bytes.startsWith(candidate.bytes, place);
      });
      if (this.#work > maxWork) return undefined;
      if (spelling) found.push(rangeOf(bytes, place, spelling));
    }
    return found;
  }
}

const startAt = (bytes: string, place: number): number =>
  (bytes.charCodeAt(place) << 16) | (bytes.charCodeAt(place + 1) << 8) | bytes.charCodeAt(place + 2);

/** Three bytes folded into the table's sixteen bits. */
const slot = (start: number): number => (start ^ (start >>> 11)) & 0xffff;

function rangeOf(bytes: string, place: number, { bytes: { length }, base64 }: Spelling): Range {
  let [start, end] = [place, place + length];
  if (!base64) return { start, end };
  if (isBase64(bytes[start - 1])) start--;
  if (isBase64(bytes[end])) end++;
  while (bytes[end] === "=") end++;
  return { start, end };
}

const isBase64 = (character: string | undefined): boolean => character !== undefined && /[A-Za-z0-9+/_-]/.test(character);
