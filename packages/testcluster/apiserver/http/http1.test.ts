import { describe, expect, test } from "bun:test";
import { BadHttpError, RequestReader } from "./http1.ts";

const read = (text: string, pieces: number) => {
  const continues: number[] = [];
  const reader = new RequestReader(() => continues.push(1));
  const bytes = Buffer.from(text);
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  const requests = [];
  for (let i = 0; i < bytes.length; i += size) requests.push(...reader.push(bytes.subarray(i, i + size)));
  return { requests, continues: continues.length };
};

const get = "GET /api?x=1 HTTP/1.1\r\nHost: h\r\nX-Thing:  spaced \r\n\r\n";
const sized = 'POST /a HTTP/1.1\r\nContent-Length: 6\r\n\r\n{"ü"}';
const chunked = "PUT /b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\n\r\n";

describe("RequestReader", () => {
  test.each([1, 2, 7, 1000])("cuts pipelined requests out of a stream that arrives in %d pieces", (pieces) => {
    const { requests } = read(get + sized + chunked + get, pieces);
    expect(requests.map(({ method, target, body }) => [method, target, body])).toEqual([
      ["GET", "/api?x=1", ""],
      ["POST", "/a", '{"ü"}'],
      ["PUT", "/b", "abcde"],
      ["GET", "/api?x=1", ""],
    ]);
    expect(requests[0]?.headers.get("x-thing")).toBe("spaced");
  });

  test("a client that waits for permission to send its body gets it", () => {
    expect(read("POST /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", 1)).toEqual({ requests: [], continues: 1 });
  });

  test.each([
    ["another protocol", "GET / HTTP/1.0\r\n\r\n"],
    ["no request line", "\r\n\r\n"],
    ["a length that is none", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"],
    ["a chunk size that is none", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
  ])("refuses %s", (_, text) => {
    expect(() => read(text, 1)).toThrow(BadHttpError);
  });
});
