import { describe, expect, test } from "bun:test";
import { failureOf } from "../../packages/kube/transport/testing/expectations.ts";
import { hostileApiServer, wellFormed } from "./testing/hostile-api-server.ts";

const ok = (headers: string, body = "secret") => `HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`;
const chunked = (body: string) => ok("transfer-encoding: chunked", body);
const junk = (bytes: number) => "y".repeat(bytes);
const kib = 1024;

const malformed: readonly [string, string, string][] = [
  ["another protocol", "SSH-2.0-secret\r\n", "it does not start with an HTTP/1.1 status line"],
  ["another version of HTTP", "HTTP/2.0 200 OK\r\ncontent-length: 0\r\n\r\n", "it does not start with an HTTP/1.1 status line"],
  [
    "a switch of protocols",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: secret\r\n\r\n",
    "it switches to a protocol that was not asked for",
  ],
  ["a space before a colon", ok("content-length : 6"), "a header line does not start with a name and a colon"],
  ["a folded header", ok("x: y\r\n content-length: 6"), "a header is folded into several lines"],
  ["a line without a colon", ok("secret"), "a header line does not start with a name and a colon"],
  ["lines that end with LF", "HTTP/1.1 200 OK\ncontent-length: 6\n\nsecret", "a line of its head does not end with CR LF"],
  ["a NUL", ok("x: \0\r\ncontent-length: 6"), "its head contains a control character, or a line that does not end with CR LF"],
  ["a CR in a header", ok("x: \rcontent-length: 6"), "its head contains a control character, or a line that does not end with CR LF"],
  ["lengths that differ", ok("content-length: 6\r\ncontent-length: 3"), "it has several content lengths"],
  ["a list of lengths", ok("content-length: 6,6"), "its content length is not a number"],
  ["a length with a sign", ok("content-length: +6"), "its content length is not a number"],
  ["a length beside chunks", ok("content-length: 6\r\ntransfer-encoding: chunked"), "it has a content length although it is chunked"],
  ["chunks beside a length", ok("transfer-encoding: chunked\r\ncontent-length: 6"), "it has a content length although it is chunked"],
  ["another coding", ok("transfer-encoding: identity, chunked"), "its transfer encoding is not chunked"],
  ["a chunk size with a sign", chunked("+6\r\nsecret\r\n0\r\n\r\n"), "the size of a chunk is not a number"],
  ["a chunk that is too long", chunked("5\r\nsecret\r\n0\r\n\r\n"), "a chunk is longer than it says"],
  ["a head without an end", ok(`x: ${junk(300 * kib)}`).slice(0, -10), "its head is longer than 256 KiB"],
  ["a flood of headers", ok("x: y\r\n".repeat(50_000)), "its head is longer than 256 KiB"],
  ["a flood of 1xx responses", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(20_000), "its head is longer than 256 KiB"],
  ["a flood of trailers", chunked(`0\r\n${"x: y\r\n".repeat(50_000)}`), "its trailers are longer than 4096 bytes"],
  ["a flood of chunk extensions", chunked(`1;${junk(1000)}\r\na\r\n`.repeat(500)), "its chunks are mostly extensions"],
  ["a chunk size without an end", chunked("0".repeat(300 * kib)), "a line in its body is longer than 4096 bytes"],
];

const unreadable: readonly [string, string, string][] = [
  ["an unknown content encoding", ok("content-length: 6\r\ncontent-encoding: br"), "its content encoding is not gzip"],
  ["gzip that is none", ok("content-length: 6\r\ncontent-encoding: gzip"), "its gzip data is corrupt"],
];

const complaint = (url: string, why: string) => ["other", `${url}: the API server's response is malformed: ${why}`];

describe("a malformed response", () => {
  test.each(malformed)("says what is wrong and ends the connection: %s", async (_, bytes, why) => {
    using server = hostileApiServer(({ connection }) => connection.write(Buffer.from(bytes, "latin1")));
    for (let tries = 1; tries <= 2; tries++) {
      const { kind, message, cause } = await failureOf(server.ask("/"));
      expect([kind, message]).toEqual(complaint(server.url, why));
      expect(String(cause)).not.toContain("secret");
      expect(server.peer.connections).toHaveLength(tries);
    }
  });

  test.each(unreadable)("says what is wrong: %s", async (_, bytes, why) => {
    using server = hostileApiServer(({ connection }) => connection.write(bytes));
    const { kind, message, cause } = await failureOf(server.ask("/"));
    expect([kind, message]).toEqual(complaint(server.url, why));
    expect(String(cause)).not.toContain("secret");
  });

  test.each([
    ["another protocol", "SSH-2.0-secret\r\n", "its head is not that of an HTTP/1.1 response"],
    ["a space before a colon", ok("content-length : 6"), "its head is not that of an HTTP/1.1 response"],
    ["a folded header", ok("x: y\r\n content-length: 6"), "its head is not that of an HTTP/1.1 response"],
    ["lengths that differ", ok("content-length: 6\r\ncontent-length: 3"), "its content length is not a number, or it has several"],
    ["a length beside chunks", ok("content-length: 6\r\ntransfer-encoding: chunked"), "its transfer encoding or its chunks are wrong"],
    ["a chunk that is too long", chunked("5\r\nsecret\r\n0\r\n\r\n"), "its transfer encoding or its chunks are wrong"],
    ["a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\n\r\n", "it switches to a protocol that was not asked for"],
    ...unreadable,
  ])("says what is wrong through a proxy: %s", async (_, bytes, why) => {
    using server = hostileApiServer(({ connection }) => connection.write(bytes), { proxied: true });
    const { kind, message } = await failureOf(server.ask("/"));
    expect([kind, message]).toEqual(complaint(server.url, why));
  });

  test("fails a write once, and does not hide what the server may have done", async () => {
    using server = hostileApiServer(({ connection, earlier }) => connection.write(earlier === 0 ? wellFormed("ok") : "garbage"));
    await server.ask("/first");
    const error = await failureOf(server.ask("/second", { method: "PUT", body: "{}" }));
    expect(error.message).toContain("the API server's response is malformed");
    expect(server.peer.requests).toEqual(["GET /first", "PUT /second"]);
  });
});

describe("a well-formed response", () => {
  const body = '{"kind":"Status","message":"€"}';
  const size = Buffer.byteLength(body).toString(16);
  test.each([
    ["a fixed length", wellFormed(body)],
    ["chunks", `HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n${size};x=y\r\n${body}\r\n0\r\nx: y\r\n\r\n`],
    ["early hints", `HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${wellFormed(body)}`],
  ])("arrives whole, wherever it is split: %s", async (_, text) => {
    const bytes = Buffer.from(text);
    let split = 0;
    using server = hostileApiServer(({ connection }) => {
      connection.write(bytes.subarray(0, split));
      setImmediate(() => setImmediate(() => connection.write(bytes.subarray(split))));
    });
    for (; split <= bytes.length; split++) expect(await server.ask("/")).toBe(`200 ${body}`);
    expect(server.peer.connections).toHaveLength(1);
  });
});
