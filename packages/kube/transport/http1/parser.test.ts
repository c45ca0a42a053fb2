import { describe, expect, test } from "bun:test";
import { Http1Parser } from "./parser.ts";

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
    lines.push(error instanceof Error ? error.message.replace("malformed HTTP/1.1 response: ", "!") : String(error));
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

describe("malformed responses", () => {
  test.each<[string, string]>([
    ["220 mail.example ESMTP\r\n\r\n", "!it does not start with a status line and headers"],
    ["HTTP/2 200\r\n\r\n", "!it does not start with a status line and headers"],
    ["HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", "!its content length is not a number"],
    ["HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", "!its content length is not a number"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n", "!its transfer encoding is unknown"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n", "!the size of a chunk is not a number"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n", "!a chunk is longer than it says"],
    ["HTTP/1.1 200 OK\r\nno header\r\n\r\n", "!it does not start with a status line and headers"],
    ["HTTP/1.1 204 OK\r\n\r\nHTTP/1.1 204 OK\r\n\r\n", "!more than one response"],
    [`HTTP/1.1 200 OK\r\nx: ${"y".repeat(300_000)}`, "!its head does not end"],
  ])("%p", (text, message) => {
    expect(heard(text, text.length)).toContain(message);
  });
});
