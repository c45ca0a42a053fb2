import { describe, expect, test } from "bun:test";
import { Http1Parser } from "./parser.ts";
import { MalformedResponseError } from "./response-error.ts";

/** What a listener heard of bytes that came in pieces of `size`; the connection ends after them. */
function heard(text: string, size: number): string[] {
  const lines: string[] = [];
  let body: Uint8Array[] = [];
  const flush = () => {
    if (body.length > 0) lines.push(`body ${Buffer.concat(body)}`);
    body = [];
  };
  const parser = new Http1Parser({
    head: ({ status, header }) => {
      const found = ["connection", "content-length", "transfer-encoding", "warning"].map((name) => [name, header(name)] as const);
      lines.push([status, ...found.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))].join(" "));
    },
    body: (bytes) => body.push(bytes),
    end(reusable) {
      flush();
      lines.push(reusable ? "end" : "end of the connection");
    },
  });
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size));
    if (!parser.finish()) lines.push("cut off");
  } catch (error) {
    lines.push(
      error instanceof MalformedResponseError ? error.message.replace("the API server's response is malformed: ", "!") : String(error),
    );
  }
  flush();
  return lines;
}

describe("an answer, in whatever pieces it comes", () => {
  test.each<[string, string, readonly string[]]>([
    ["fixed length", "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhällo", ["200 content-length=6", "body hällo", "end"]],
    ["empty", "HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n", ["201 content-length=0", "end"]],
    ["without a body", "HTTP/1.1 204 No Content\r\n\r\n", ["204", "end"]],
    ["without a reason", "HTTP/1.1 404\r\ncontent-length: 0\r\n\r\n", ["404 content-length=0", "end"]],
    [
      "chunked",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
      ["200 transfer-encoding=chunked", "body abc0123456789", "end"],
    ],
    [
      "chunked with trailers",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\nx: y\r\n\r\n",
      ["200 transfer-encoding=chunked", "body a", "end"],
    ],
    ["until the end", "HTTP/1.1 200 OK\r\n\r\nabc", ["200", "body abc", "end of the connection"]],
    [
      "closing",
      "HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 1\r\n\r\na",
      ["200 connection=close content-length=1", "body a", "end of the connection"],
    ],
    ["old", "HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na", ["200 content-length=1", "body a", "end of the connection"]],
    ["after a 100", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", ["200 content-length=0", "end"]],
    ["with several 1xx before", `${"HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n".repeat(7)}HTTP/1.1 204 OK\r\n\r\n`, ["204", "end"]],
    [
      "with the same length twice",
      "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\na",
      ["200 content-length=1, 1", "body a", "end"],
    ],
    ["with blanks around values", "HTTP/1.1 200 OK\r\ncontent-length: \t 1 \t\r\n\r\na", ["200 content-length=1", "body a", "end"]],
    ["with several tokens", "HTTP/1.1 204 OK\r\nConnection: x,Close\r\n\r\n", ["204 connection=x,Close", "end of the connection"]],
    ["with a token that only contains close", "HTTP/1.1 204 OK\r\nConnection: x-close\r\n\r\n", ["204 connection=x-close", "end"]],
    ["with a repeated header", "HTTP/1.1 204 x\r\nWarning: a\r\nwarning:b\r\n\r\n", ["204 warning=a, b", "end"]],
    ["cut off in its head", "HTTP/1.1 200 OK\r\nconte", ["cut off"]],
    ["cut off in its body", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab", ["200 content-length=3", "cut off", "body ab"]],
    [
      "cut off between chunks",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n",
      ["200 transfer-encoding=chunked", "cut off", "body a"],
    ],
  ])("%s", (_, text, expected) => {
    for (let size = 1; size <= text.length; size++) expect(heard(text, size)).toEqual([...expected]);
  });
});

const fixed = (headers: string) => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\nab`;
const chunked = (body: string) => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}`;
const noStatusLine = "!it does not start with an HTTP/1.1 status line";
const noField = "!a header line does not start with a name and a colon";
const noText = "!its head contains a control character, or a line that does not end with CR LF";
const noLength = "!its content length is not a number";
const noSize = "!the size of a chunk is not a number";

describe("malformed, in whatever pieces it comes", () => {
  test.each<[string, string, string]>([
    ["another protocol", "220 mail.example ESMTP\r\n\r\n", noStatusLine],
    ["another version", "HTTP/2 200\r\n\r\n", noStatusLine],
    ["a status that is none", "HTTP/1.1 20x OK\r\n\r\n", noStatusLine],
    ["a status below 100", "HTTP/1.1 099 OK\r\n\r\n", noStatusLine],
    ["two spaces before the status", "HTTP/1.1  200 OK\r\n\r\n", noStatusLine],
    [
      "another protocol after it",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n",
      "!it switches to a protocol that was not asked for",
    ],
    ["a line that is no header", fixed("no header"), noField],
    ["a header without a name", fixed(": 2"), noField],
    ["a space before a colon", fixed("content-length : 2"), noField],
    ["a tab before a colon", fixed("content-length\t: 2"), noField],
    ["a folded header", fixed("x: y\r\n content-length: 2"), "!a header is folded into several lines"],
    ["a fold at the start", fixed(" content-length: 2"), "!a header is folded into several lines"],
    ["a name with a character of no name", fixed('"content-length": 2'), noField],
    ["a NUL in a value", fixed("x: y\0"), noText],
    ["a CR in a value", fixed("x: y\rcontent-length: 2"), noText],
    ["a control character in the status line", "HTTP/1.1 200 O\x01K\r\ncontent-length: 2\r\n\r\nab", noText],
    ["a length with a minus", fixed("content-length: -2"), noLength],
    ["a length with a plus", fixed("content-length: +2"), noLength],
    ["a length in hexadecimal", fixed("content-length: 0x2"), noLength],
    ["a length with a no-break space", fixed("content-length: 2\xa0"), noLength],
    ["an empty length", fixed("content-length:"), noLength],
    ["a length of 16 digits", fixed("content-length: 1000000000000000"), noLength],
    ["a list of lengths", fixed("content-length: 2,2"), noLength],
    ["lengths that differ", fixed("content-length: 2\r\ncontent-length: 3"), "!it has several content lengths"],
    ["a length of a response without a body", "HTTP/1.1 204 No Content\r\ncontent-length: x\r\n\r\n", noLength],
    ["a length and chunks", fixed("content-length: 2\r\ntransfer-encoding: chunked"), "!it has a content length although it is chunked"],
    ["another coding", fixed("transfer-encoding: gzip, chunked"), "!its transfer encoding is not chunked"],
    ["two codings", fixed("transfer-encoding: chunked\r\ntransfer-encoding: chunked"), "!its transfer encoding is not chunked"],
    ["an empty coding", fixed("transfer-encoding:"), "!its transfer encoding is not chunked"],
    [
      "chunks in HTTP/1.0",
      "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      "!it is chunked, which HTTP/1.0 does not have",
    ],
    ["a size that is none", chunked("xyz\r\n"), noSize],
    ["no size", chunked("\r\n"), noSize],
    ["a negative size", chunked("-1\r\n"), noSize],
    ["a size with 0x", chunked("0x1\r\na\r\n"), noSize],
    ["a size of 14 digits", chunked("10000000000000\r\n"), noSize],
    ["a size followed by something", chunked("1 1\r\na\r\n"), noSize],
    ["a CR in an extension", chunked("1;a\rb\r\na\r\n"), "!the size of a chunk contains a control character"],
    ["a size line that ends with LF", chunked("1\na\r\n"), "!a line in its body does not end with CR LF"],
    ["a chunk that is too long", chunked("1\r\nab\r\n"), "!a chunk is longer than it says"],
    ["a chunk that ends with LF", chunked("1\r\na\n0\r\n\r\n"), "!a chunk is longer than it says"],
    ["a trailer that is none", chunked("0\r\nno trailer\r\n\r\n"), noField],
    ["a long size line", chunked(`1;${"x".repeat(4096)}\r\n`), "!a line in its body is longer than 4096 bytes"],
    ["a long trailer", chunked(`0\r\nx: ${"y".repeat(4096)}`), "!a line in its body is longer than 4096 bytes"],
  ])("%s", (_, text, message) => {
    for (const size of [1, 2, 3, 7, text.length]) expect(heard(text, size)).toContain(message);
  });

  test("a head whose lines end with LF", () => {
    const text = "HTTP/1.1 200 OK\ncontent-length: 2\n\nab";
    for (const size of [1, 2, 3, text.length]) expect(heard(text, size)).toEqual(["!a line of its head does not end with CR LF"]);
  });
});

describe("a head that can never become a response fails before its end has come", () => {
  test.each(["SSH-2.0-OpenSSH_9.2\r\n", "\x15\x03\x01\0\x02\x02\x46", "HTTP/2"])("%p", (text) => {
    expect(heard(text, 1)).toEqual([noStatusLine]);
  });
});

describe("what a server can make us read", () => {
  const tooLong = "!its head is longer than 256 KiB";
  const junk = (bytes: number) => "y".repeat(bytes);
  const limit = 256 * 1024;

  test.each<[string, string, string]>([
    ["a head without an end", `HTTP/1.1 200 OK\r\nx: ${junk(limit)}`, tooLong],
    ["a head that is too long", `HTTP/1.1 204 OK\r\nx: ${junk(limit)}\r\n\r\n`, tooLong],
    ["many lines", `HTTP/1.1 204 OK\r\n${"x: y\r\n".repeat(limit / 6)}\r\n`, tooLong],
    ["many 1xx responses", `${"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(10_000)}HTTP/1.1 204 OK\r\n\r\n`, tooLong],
    ["many trailers", chunked(`0\r\n${"x: y\r\n".repeat(1000)}\r\n`), "!its trailers are longer than 4096 bytes"],
    ["many extensions", chunked(`1;${junk(1000)}\r\na\r\n`.repeat(20)), "!its chunks are mostly extensions"],
  ])("is bounded: %s", (_, text, message) => {
    expect(heard(text, 64 * 1024)).toContain(message);
    expect(heard(text, 1)).toContain(message);
  });

  test("takes a time in proportion to its size, however small the pieces are", () => {
    const text = `HTTP/1.1 204 OK\r\n${`x:${" ".repeat(997)}\r\n`.repeat(250)}\r\n`;
    expect(heard(text, 1)).toEqual(["204", "end"]);
  });

  test("of one byte in each chunk is fine, and arrives in few pieces", () => {
    const pieces: number[] = [];
    const parser = new Http1Parser({ head: () => {}, body: ({ length }) => pieces.push(length), end: () => {} });
    parser.push(Buffer.from(chunked("1\r\na\r\n".repeat(50_000))));
    parser.push(Buffer.from("1\r\na\r\n0\r\n\r\n"));
    expect(pieces).toEqual([50_000, 1]);
  });
});

describe("what follows a complete response", () => {
  test.each([
    ["in the same piece", "HTTP/1.1 204 OK\r\n\r\nHTTP/1.1 204 OK\r\n\r\n", ["204", "end of the connection"]],
    ["a single byte", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab", ["200 content-length=1", "body a", "end of the connection"]],
    ["after chunks", chunked("0\r\n\r\n0\r\n\r\n"), ["200 transfer-encoding=chunked", "end of the connection"]],
  ])("ends the connection, not the response: %s", (_, text, expected) => {
    expect(heard(text, text.length)).toEqual(expected);
  });

  test("is refused in a later piece", () => {
    expect(heard("HTTP/1.1 204 OK\r\n\r\nx", 1)).toEqual(["204", "end", "!it continues after its end"]);
  });
});
