import { type Dictionary, dictionary } from "./dictionary.ts";

const plain = /^[ !#-[\]-~]*$/;
const special = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const named: Readonly<Dictionary<string>> = dictionary({
  '"': '\\"',
  "\\": "\\\\",
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
});

/** A Go string literal, as `strconv.Quote` writes it: what readers and parsers of klog's text expect around messages and values. */
export function goQuote(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  return `"${text.toWellFormed().replace(special, escaped)}"`;
}

function escaped(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (named[char]) return named[char];
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}
