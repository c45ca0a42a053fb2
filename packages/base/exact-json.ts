import { ownValue, setOwnValue } from "./dictionary.ts";

/** What the language has and TypeScript does not declare yet: a reviver sees the text of a number, and text can be written as it is. */
interface ReviverContext {
  readonly source?: string;
}
const { rawJSON } = JSON as JSON & { rawJSON(text: string): unknown };

/** Sixteen digits in a row that may be a number: the smallest integer that a double cannot hold has as many. */
const longInteger = /(?:^|[:[,\s-])\d{16}/;
/** As long as 64 bits can be: to convert more digits takes time in proportion to their square. */
const integer = /^-?\d{1,19}$/;
const [smallestInt64, biggestInt64] = [-(2n ** 63n), 2n ** 63n - 1n];

/** A member of an object that is such an integer, in the compact form that servers write. */
const longMember = /":(-?\d{16,19})[,}]/g;
/** How deep numbers are looked for. */
const maxDepth = 50;

/**
 * `JSON.parse` that does not round 64-bit integers, such as times in nanoseconds: they are bigints where a number would not be exact.
 * An integer beyond 64 bits is a rounded number, as to Go. Text without a long integer is parsed as fast as ever.
 */
export function parseExactJson(text: string): unknown {
  if (!longInteger.test(text)) return JSON.parse(text);
  const value: unknown = JSON.parse(text);
  // A reviver takes ten times as long: it is for text in which it is not clear which digits are those of a number.
  return restoreDigits(value, text) ? value : JSON.parse(text, exactInteger);
}

/** An integer that was rounded, as a member of an object. */
interface RoundedMember {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly value: number;
}

/** Replaces rounded integers by their digits, which the text has in the same order. Returns whether it could tell which are whose. */
function restoreDigits(value: unknown, text: string): boolean {
  const rounded: RoundedMember[] = [];
  if (!collectRounded(value, rounded, 0)) return false;
  let count = 0;
  const exact: bigint[] = [];
  longMember.lastIndex = 0;
  for (let match = longMember.exec(text); match; match = longMember.exec(text)) {
    const digits = match[1] ?? "";
    // A quote behind a backslash is part of a string, and so is what looks like a member there.
    if (text[match.index - 1] === "\\" || Number.isSafeInteger(Number(digits))) continue;
    const member = rounded[count++];
    const key = text.slice(text.lastIndexOf('"', match.index - 1) + 1, match.index);
    if (member?.key !== key || member.value !== Number(digits)) return false;
    exact.push(BigInt(digits));
  }
  if (count !== rounded.length) return false;
  for (const [i, { holder, key }] of rounded.entries()) {
    const integer = exact[i] ?? 0n;
    if (isInt64(integer)) setOwnValue(holder, key, integer);
  }
  return true;
}

/** Finds what was rounded, in the order of the text. Returns whether all of it are members of objects. */
function collectRounded(value: unknown, found: RoundedMember[], depth: number): boolean {
  if (typeof value === "number") return !isRounded(value);
  if (typeof value !== "object" || value === null) return true;
  if (depth > maxDepth) return false;
  if (Array.isArray(value)) return value.every((element) => collectRounded(element, found, depth + 1));
  const holder = value as Record<string, unknown>;
  for (const key in holder) {
    const member = ownValue(holder, key);
    if (typeof member === "number" && isRounded(member)) {
      found.push({ holder, key, value: member });
    } else if (typeof member === "object" && !collectRounded(member, found, depth + 1)) {
      return false;
    }
  }
  return true;
}

function isRounded(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function isInt64(value: bigint): boolean {
  return value >= smallestInt64 && value <= biggestInt64;
}

function exactInteger(this: unknown, _key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  if (!integer.test(source)) return value;
  const exact = BigInt(source);
  return isInt64(exact) ? exact : value;
}

/** `JSON.stringify` that writes a bigint as an integer with all its digits. */
export function stringifyExactJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A bigint, on which JSON.stringify fails: rare enough to be found out this way.
    return JSON.stringify(value, allDigits);
  }
}

function allDigits(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? rawJSON(String(value)) : value;
}
