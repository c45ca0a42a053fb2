import { expect, test } from "bun:test";
import { stricter } from "./http-differences.ts";

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

/** What is right about each of these must not excuse a parser that refuses it. */
const valid = [
  `${ok}\r\n`,
  `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${ok}content-length: 2\r\n\r\n{}`,
  `${ok}X-A: a b\r\nWarning:\t299 - "text"\r\nContent-Length: 12\r\nconnection: close\r\n\r\n{"a":"\u00e9\u0080"}`,
  `${ok}content-length: 12\r\ncontent-length: 12\r\n\r\n{"a":1,"b":2}`,
  "HTTP/1.0 404\r\ncontent-encoding: identity\r\n\r\nnothing here",
];

const refused: readonly (readonly [says: string, response: string])[] = [
  ["its head contains a control character, or a line that does not end with CR LF", `${ok}x-a: \u007f\r\n\r\n`],
  ["its head contains a control character, or a line that does not end with CR LF", `${ok}x-a: a\rb\r\n\r\n`],
  ["a line of its head does not end with CR LF", "HTTP/1.1 200 OK\n"],
  ["a line in its body does not end with CR LF", `${chunked}1\na\r\n0\r\n\r\n`],
  ["a header is folded into several lines", `${ok}x-a: a\r\n b\r\n\r\n`],
  ["a header line does not start with a name and a colon", `${ok}x-a: a\r\nx-b : b\r\n\r\n`],
  ["a header line does not start with a name and a colon", `${chunked}0\r\ntrailer\r\n\r\n`],
  ["it does not start with an HTTP/1.1 status line", "HTTP/1.3 200 OK\r\n\r\n"],
  ["it does not start with an HTTP/1.1 status line", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200\nOK\r\n\r\n"],
  ["its content encoding is not gzip", `${ok}content-encoding: br\r\n\r\n`],
  ["its content encoding is not gzip", `${ok}content-encoding: gzip\r\ncontent-encoding: gzip\r\n\r\n`],
  ["its gzip data is corrupt", `${ok}content-encoding: gzip\r\n\r\nx`],
  ["its transfer encoding is not chunked", `${ok}transfer-encoding: identity\r\n\r\n`],
  ["it is chunked, which HTTP/1.0 does not have", "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["it has a content length although it is chunked", `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
  ["it has several content lengths", `${ok}content-length: 12\r\ncontent-length: 1\r\n\r\n`],
  ["it has several content lengths", `${ok}content-length: 3, 4\r\n\r\nabcd`],
  ["it switches to a protocol that was not asked for", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
  ["a line in its body is longer than", `${chunked}1;${"a".repeat(5_000)}\r\na\r\n0\r\n\r\n`],
  ["the size of a chunk is not a number", `${chunked}${"0".repeat(14)}1\r\na\r\n0\r\n\r\n`],
  ["the connection was closed", `${chunked}1\r\na\r\n`],
];

test.each(refused)("a refusal because %s is right for %j", (says, response) => {
  expect(stricter.find((each) => each.says === says)?.contains.test(response)).toBe(true);
});

test("a valid response justifies no refusal, and each refusal has an example", () => {
  for (const response of valid) expect(stricter.filter(({ contains }) => contains.test(response)).map(({ says }) => says)).toEqual([]);
  expect([...new Set(refused.map(([says]) => says))].sort()).toEqual(stricter.map(({ says }) => says).sort());
});
