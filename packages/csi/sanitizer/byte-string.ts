/**
 * A text as its UTF-8 bytes, one character for each. Escapes write bytes (`%c3%a9`, `\xc3\xa9`) as well as characters (`\u00e9`,
 * `&#233;`); in this form all of them read the same.
 */
export function toByteString(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** The text of a byte string. */
export function fromByteString(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}
