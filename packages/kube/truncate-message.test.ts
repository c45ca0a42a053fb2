import { expect, test } from "bun:test";
import { truncateMessage } from "./truncate-message.ts";

test.each<[string, string, number, string]>([
  ["short", "abc", 10, "abc"],
  ["just fitting", "abc", 3, "abc"],
  ["too long", "abcdef", 3, "abc"],
  ["cut in a character of two bytes", "aäb", 2, "a"],
  ["cut in a character of three bytes", "a€", 3, "a"],
  ["cut in a character of four bytes", "ab😀", 5, "ab"],
  ["cut behind a character", "äöü", 4, "äö"],
])("%s", (_what, text, bytes, expected) => {
  expect(truncateMessage(text, bytes)).toBe(expected);
});

test("what the API server takes is 1024 bytes", () => {
  expect(new TextEncoder().encode(truncateMessage("ä".repeat(600))).length).toBe(1024);
  expect(new TextEncoder().encode(truncateMessage(`x${"ä".repeat(600)}`)).length).toBe(1023);
});
