import { type Dictionary, dictionary } from "@csi-sidecars/base";
import { toByteString } from "./byte-string.ts";

/** A byte string as it reads with escapes undone, and where each part of it comes from. */
export interface Reading {
  readonly bytes: string;
  /** The place in the original of a place in `bytes`. */
  origin(place: number): number;
}

/** A kind of escapes: how they look, and the bytes that one stands for. */
interface Escapes {
  /** A text without it has none of these escapes, or reads the same with another kind undone. */
  readonly sign: string;
  readonly pattern: RegExp;
  read(match: RegExpExecArray): string | undefined;
}

const fromHex = (digits: string) => Number.parseInt(digits, 16);
const character = (code: number) => (code <= 0x10ffff ? toByteString(String.fromCodePoint(code)) : undefined);

const percent: Escapes = {
  sign: "%",
  pattern: /%([0-9a-fA-F]{2})/g,
  read: ([, hex = ""]) => String.fromCharCode(fromHex(hex)),
};

const form: Escapes = {
  sign: "+",
  pattern: /%([0-9a-fA-F]{2})|\+/g,
  read: ([, hex]) => (hex === undefined ? " " : String.fromCharCode(fromHex(hex))),
};

const controls: Readonly<Dictionary<string>> = dictionary({ n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v", "0": "\0" });

/** Those of Go's `%q`, JSON, and the languages that look like C. */
const backslash: Escapes = {
  sign: "\\",
  pattern:
    /\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|([\s\S]))/g,
  read([, high, low, unit, point, hex, octal, single = ""]) {
    if (high !== undefined && low !== undefined) return toByteString(String.fromCharCode(fromHex(high), fromHex(low)));
    const code = unit ?? point;
    if (code !== undefined) return character(fromHex(code));
    if (hex !== undefined) return String.fromCharCode(fromHex(hex));
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
    return controls[single] ?? (/\w/.test(single) ? undefined : single);
  },
};

const entities: Readonly<Dictionary<string>> = dictionary({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" });

const html: Escapes = {
  sign: "&",
  pattern: /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g,
  read: ([, decimal, hex, name]) =>
    name === undefined ? character(decimal === undefined ? fromHex(hex ?? "") : Number(decimal)) : entities[name],
};

/** Lines that a long text was broken into, as programs do with base64. */
const lines: Escapes = {
  sign: "\n",
  pattern: /\r?\n[ \t]*/g,
  read: () => "",
};

/** What was escaped may have been escaped again: JSON in JSON, JSON in a URL, HTML in JSON, lines in JSON. */
const depth = 2;

/** A byte string as it is, and with every kind of escapes undone that it has, also one kind within another. */
export function readingsOf(bytes: string): readonly Reading[] {
  const readings: Reading[] = [{ bytes, origin: (place) => place }];
  const seen = new Set([bytes]);
  let outer = [...readings];
  for (let level = 0; level < depth; level++) {
    const inner = outer.flatMap((reading) => [percent, form, backslash, html, lines].flatMap((escapes) => undo(reading, escapes) ?? []));
    outer = inner.filter((reading) => !seen.has(reading.bytes) && seen.add(reading.bytes));
    readings.push(...outer);
  }
  return readings;
}

/** Undoes one kind of escapes; `undefined` where there are none. */
function undo(outer: Reading, { sign, pattern, read }: Escapes): Reading | undefined {
  if (!outer.bytes.includes(sign)) return undefined;
  const parts: string[] = [];
  /** Where pieces start, in the result and in the outer text; within a piece both go on alike. */
  const starts: [inner: number, outer: number][] = [];
  let length = 0;
  let copied = 0;
  const add = (text: string, from: number) => {
    parts.push(text);
    starts.push([length, from]);
    length += text.length;
  };
  for (const match of outer.bytes.matchAll(pattern)) {
    const value = read(match);
    if (value === undefined) continue;
    if (match.index > copied) add(outer.bytes.slice(copied, match.index), copied);
    add(value, match.index);
    copied = match.index + match[0].length;
  }
  if (parts.length === 0) return undefined;
  add(outer.bytes.slice(copied), copied);
  return {
    bytes: parts.join(""),
    origin(place) {
      const [inner, from] = starts[lastAtMost(starts, place)] ?? [0, 0];
      return outer.origin(from + place - inner);
    },
  };
}

/** The index of the last piece that starts at or before a place. */
function lastAtMost(starts: readonly (readonly [number, number])[], place: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle]?.[0] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
