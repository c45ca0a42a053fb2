import { goQuote } from "../logging/go-quote.ts";
import { type Parsed, parsed, unparsable } from "./parsed.ts";

const yes = new Set(["1", "t", "T", "TRUE", "true", "True"]);
const no = new Set(["0", "f", "F", "FALSE", "false", "False"]);

/** The words Go's `strconv.ParseBool` knows. */
export function parseBool(text: string): Parsed<boolean> {
  if (yes.has(text)) return parsed(true);
  if (no.has(text)) return parsed(false);
  return unparsable(`${goQuote(text)} is neither true nor false`);
}

const digits = {
  hexadecimal: /^0[xX](_?[0-9a-fA-F])+$/,
  octal: /^0[oO]?(_?[0-7])+$/,
  binary: /^0[bB](_?[01])+$/,
  decimal: /^(0|[1-9](_?[0-9])*)$/,
};
const leadingZero = /^0_?[0-7]/;

/** A whole number in Go's notations: decimal, `0x`, `0o` or a leading `0`, `0b`, with `_` between digits. */
export function parseInteger(text: string): Parsed<number> {
  const [, sign = "", magnitude = ""] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (!Object.values(digits).some((notation) => notation.test(magnitude))) {
    return unparsable(`${goQuote(text)} is not a whole number`);
  }
  const bare = magnitude.replaceAll("_", "");
  const value = Number(leadingZero.test(magnitude) ? `0o${bare}` : bare) * (sign === "-" ? -1 : 1);
  if (!Number.isSafeInteger(value)) return unparsable("value out of range");
  return parsed(value + 0);
}

/** A whole number that Go keeps in an unsigned type of `bits`: no sign at all. */
export function parseUnsigned(text: string, bits = 53): Parsed<number> {
  if (/^[+-]/.test(text)) return unparsable(`${goQuote(text)} is not a whole number without sign`);
  const result = parseInteger(text);
  return result.ok && result.value >= 2 ** bits ? unparsable("value out of range") : result;
}

/** A finite number, with fraction and exponent. */
export function parseFloat64(text: string): Parsed<number> {
  if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) return unparsable(`${goQuote(text)} is not a number`);
  const value = Number(text);
  return Number.isFinite(value) ? parsed(value) : unparsable("value out of range");
}
