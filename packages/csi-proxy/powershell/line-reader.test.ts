import { describe, expect, test } from "bun:test";
import { LineReader } from "./line-reader.ts";

function read(limit: number, chunks: readonly (string | Uint8Array)[]) {
  const lines: string[] = [];
  const reader = new LineReader(
    limit,
    (line) => lines.push(line),
    () => lines.push("(too long)"),
  );
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return lines;
}

describe("lines", () => {
  test.each([
    ["end in LF or CRLF", ["a\nb\r\n\nc\r\n"], ["a", "b", "", "c"]],
    ["come in pieces", ["a", "b\nc", "\r", "\n"], ["ab", "c"]],
    ["come many at once, with the start of the next", ["a\nb\nc\nd"], ["a", "b", "c"]],
    ["may be cut inside of a character", [new Uint8Array([0xc3]), new Uint8Array([0xa4, 0x0a])], ["\u00e4"]],
    ["have at most so many bytes", ["12345678\n1234\n", "12345678", "9", "0\nafter\n"], ["12345678", "1234", "(too long)"]],
    ["are counted apart", ["123456789\nafter\n"], ["(too long)"]],
  ])("%s", (_, chunks: readonly (string | Uint8Array)[], expected) => expect(read(8, chunks)).toEqual(expected));
});
