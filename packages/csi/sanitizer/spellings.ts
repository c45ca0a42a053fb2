import { toByteString } from "./byte-string.ts";

/** One way in which a secret may stand in a text; escapes are undone in the text, not tried here. */
export interface Spelling {
  /** As a byte string. */
  readonly bytes: string;
  /** Of a secret in base64: the characters before and after may hold bits of it too, and padding may follow. */
  readonly base64?: true;
}

/** Shorter values are left: stripping them would hide ordinary words and syllables, and by their places give the value away. */
const shortest = 3;
/** Shorter lines of a longer value are left: in files these are brackets, keys and ends of blocks. */
const shortestLine = 6;
/** Fewer characters from the middle of a base64 text could be part of a word. */
const shortestBase64Part = 6;
/** Values of switches among the secrets. */
const answers = new Set(["true", "false", "yes", "null", "none"]);

/**
 * Every way in which a secret may stand in a text of some length: as it is, its lines one by one, in base64 and base64url, in hex,
 * and as lists of bytes.
 */
export function spellingsOf(secret: string, textLength: number): Spelling[] {
  const value = secret.trim();
  if (value.length < shortest || answers.has(value.toLowerCase())) return [];
  const lines = linesOf(value).map((line) => ({ bytes: toByteString(line) }));
  const bytes = Buffer.from(value);
  if (bytes.length > textLength) return lines;
  return [
    ...lines,
    ...[bytes.toString("latin1"), ...hexOf(bytes), ...listsOf(bytes)].map((text) => ({ bytes: text })),
    ...base64Parts(bytes).map((text) => ({ bytes: text, base64: true }) as const),
  ];
}

/** The lines of a PEM file or the like; its markers are the same in every such file. */
function linesOf(value: string): string[] {
  if (!value.includes("\n")) return [];
  const lines = value.split("\n").map((line) => line.trim());
  return lines.filter((line) => line.length >= shortestLine && !line.startsWith("-----"));
}

/** In one piece, as Go's `% x` has it, and as certificates show their serial numbers. */
function hexOf(value: Buffer): string[] {
  const hex = value.toString("hex");
  const pairs = hex.match(/../g) ?? [];
  return [hex, pairs.join(" "), pairs.join(":")].flatMap((text) => [text, text.toUpperCase()]);
}

/** As Go prints bytes, as Go code has them, and as lists in JSON and other languages. */
function listsOf(value: Buffer): string[] {
  return [value.join(" "), value.join(","), value.join(", "), Array.from(value, (byte) => `0x${byte.toString(16)}`).join(", ")];
}

/**
 * What a value contributes to any base64 text that contains it, as in `user:password`: base64 works on groups of three bytes, so
 * there are three such parts, for the three places in a group where the value may start.
 */
function base64Parts(value: Buffer): string[] {
  const parts = [0, 1, 2].flatMap((start) => {
    const text = Buffer.concat([Buffer.alloc(start), value]).toString("base64");
    const part = text.slice(Math.ceil((start * 8) / 6), Math.floor(((start + value.length) * 8) / 6));
    return start === 0 || part.length >= shortestBase64Part ? [part] : [];
  });
  return parts.flatMap((part) => [part, part.replaceAll("+", "-").replaceAll("/", "_")]);
}
