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

/**
 * `JSON.parse` that does not round 64-bit integers, such as times in nanoseconds: they are bigints where a number would not be exact.
 * An integer beyond 64 bits is a rounded number, as to Go. Text without a long integer is parsed as fast as ever.
 */
export function parseExactJson(text: string): unknown {
  return longInteger.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
}

function exactInteger(this: unknown, _key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  if (!integer.test(source)) return value;
  const exact = BigInt(source);
  return exact < smallestInt64 || exact > biggestInt64 ? value : exact;
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
