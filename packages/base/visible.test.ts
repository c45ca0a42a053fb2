import { expect, test } from "bun:test";
import { visible } from "./visible.ts";

test.each([
  ["plain text, é and 東京", "plain text, é and 東京"],
  ["a\r\nb\tc", "a\\u000d\\u000ab\\u0009c"],
  ["\x1b]0;title\x07", "\\u001b]0;title\\u0007"],
  ["\x9b2J\x7f", "\\u009b2J\\u007f"],
  ["\u202eabc\u2066\u2028", "\\u202eabc\\u2066\\u2028"],
])("%j is shown as %s", (text, shown) => expect(visible(text)).toBe(shown));
