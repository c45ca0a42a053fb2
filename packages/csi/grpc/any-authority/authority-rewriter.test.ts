import { describe, expect, test } from "bun:test";
import { magic } from "../testing/raw-http2-client.ts";
import { frame, frameReader, type HeaderList, headerBlock, type RawFrame, uint32 } from "../testing/raw-http2-server.ts";
import { AuthorityRewriter } from "./authority-rewriter.ts";
import { HpackDecoder } from "./hpack-decoder.ts";
import { MalformedHeaders } from "./malformed-headers.ts";

const [endStream, endHeaders, padded, priority] = [frame.endStream, frame.endHeaders, frame.padded, 0x20];

function rawFrame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.of(0, payload.length >> 8, payload.length & 0xff, type, flags), uint32(stream), payload]);
}

const preface = Buffer.concat([magic, rawFrame(frame.settings, 0, 0)]);

const rewrite = (rewriter: AuthorityRewriter, sent: Buffer) => Buffer.concat([...rewriter.rewrite(sent)]);

/** What comes out of the rewriter for some frames, each header block read. */
function rewritten(...sent: readonly Buffer[]): readonly { readonly frame: RawFrame; readonly fields?: HeaderList }[] {
  return framesOf(rewrite(new AuthorityRewriter(), Buffer.concat([preface, ...sent]))).slice(1);
}

function framesOf(bytes: Buffer): readonly { readonly frame: RawFrame; readonly fields?: HeaderList }[] {
  const frames: RawFrame[] = [];
  frameReader((read) => frames.push(read))(bytes);
  const decoder = new HpackDecoder();
  return frames.map((read) => (read.type === frame.headers ? { frame: read, fields: decoder.decode(read.payload) } : { frame: read }));
}

const request: HeaderList = [
  [":method", "POST"],
  [":scheme", "http"],
  [":path", "/v1.Disk/Rescan"],
  ["te", "trailers"],
];
const forLocalhost = [[":authority", "localhost"], ...request];
const block = headerBlock([...request.slice(0, 3), [":authority", "\\\\.\\pipe\\x"], ...request.slice(3)]);

describe("requests", () => {
  test.each<[string, HeaderList]>([
    ["with a path for an authority", [...request, [":authority", "/csi/csi.sock"]]],
    ["with an empty authority", [[":authority", ""], ...request]],
    ["without authority", request],
    ["with two of them", [[":authority", "a"], [":authority", "b"], ...request]],
    ["with a host header", [...request, ["host", "elsewhere"]]],
  ])("%s are for localhost", (_, fields) => {
    const [only, ...others] = rewritten(rawFrame(frame.headers, endHeaders, 1, headerBlock(fields)));
    expect(only?.fields).toEqual(forLocalhost as never);
    expect(others).toEqual([]);
  });

  test("trailers have no authority, and get none", () => {
    const trailers: HeaderList = [["grpc-status", "0"]];
    expect(rewritten(rawFrame(frame.headers, endHeaders | endStream, 1, headerBlock(trailers)))[0]).toMatchObject({
      frame: { flags: endHeaders | endStream },
      fields: trailers,
    });
  });

  test("padding and priority are left out, the end of the stream is kept", () => {
    const payload = Buffer.concat([Buffer.of(7), uint32(3), Buffer.of(16), block, Buffer.alloc(7)]);
    const [only] = rewritten(rawFrame(frame.headers, endHeaders | endStream | padded | priority, 5, payload));
    expect(only).toMatchObject({ frame: { flags: endHeaders | endStream, streamId: 5 }, fields: forLocalhost });
  });

  test("a block in pieces becomes one again", () => {
    const [only, ...others] = rewritten(
      rawFrame(frame.headers, endStream, 1, block.subarray(0, 1)),
      rawFrame(frame.continuation, 0, 1, block.subarray(1, 20)),
      rawFrame(frame.continuation, endHeaders, 1, block.subarray(20)),
    );
    expect(only).toMatchObject({ frame: { flags: endHeaders | endStream }, fields: forLocalhost });
    expect(others).toEqual([]);
  });

  test("a block that is larger than a frame is split", () => {
    const large = headerBlock([...request, ["large", "x".repeat(40_000)]]);
    const sent = [0, 1, 2].map((part) => {
      const flags = part === 2 ? endHeaders : 0;
      return rawFrame(part === 0 ? frame.headers : frame.continuation, flags, 1, large.subarray(part * 16_384, (part + 1) * 16_384));
    });
    const frames: RawFrame[] = [];
    frameReader((read) => frames.push(read))(rewrite(new AuthorityRewriter(), Buffer.concat([preface, ...sent])));
    const [, ...headers] = frames;
    expect(headers.map(({ type, flags, payload }) => [type, flags, payload.length <= 16_384])).toEqual([
      [frame.headers, 0, true],
      [frame.continuation, 0, true],
      [frame.continuation, endHeaders, true],
    ]);
    const fields = new HpackDecoder().decode(Buffer.concat(headers.map(({ payload }) => payload)));
    expect(fields).toEqual([...forLocalhost, ["large", "x".repeat(40_000)]] as never);
  });
});

test("all other frames pass as they came", () => {
  const sent = [
    rawFrame(frame.ping, 0, 0, Buffer.from("12345678")),
    rawFrame(frame.data, padded, 1, Buffer.concat([Buffer.of(2), Buffer.alloc(16_000, "d"), Buffer.alloc(2)])),
    rawFrame(frame.windowUpdate, 0, 0, uint32(1_000)),
    rawFrame(2, 0, 1, Buffer.alloc(5)),
    rawFrame(0xfa, 0xff, 1, Buffer.from("of a kind that nobody knows")),
  ];
  const all = Buffer.concat([preface, ...sent]);
  expect(rewrite(new AuthorityRewriter(), all).toString("hex")).toBe(all.toString("hex"));
});

test("it makes no difference in what pieces the bytes come", () => {
  const sent = Buffer.concat([
    preface,
    rawFrame(frame.headers, 0, 1, block.subarray(0, 9)),
    rawFrame(frame.continuation, endHeaders, 1, block.subarray(9)),
    rawFrame(frame.data, endStream, 1, Buffer.alloc(100, "d")),
    rawFrame(frame.headers, endHeaders | endStream, 3, Buffer.of(0x83, 0x86, 0x84)),
  ]);
  const whole = rewrite(new AuthorityRewriter(), sent);
  for (const size of [1, 2, 7, 24, 33]) {
    const rewriter = new AuthorityRewriter();
    const pieces = Array.from({ length: Math.ceil(sent.length / size) }, (_, n) =>
      rewrite(rewriter, sent.subarray(n * size, (n + 1) * size)),
    );
    expect(Buffer.concat(pieces).toString("hex")).toBe(whole.toString("hex"));
  }
});

test("the preface is the magic and the first SETTINGS, to their last byte", () => {
  const settings = rawFrame(frame.settings, 0, 0, Buffer.alloc(6));
  const rewriter = new AuthorityRewriter();
  rewrite(rewriter, magic);
  rewrite(rewriter, settings.subarray(0, -1));
  expect(rewriter.prefaceDone).toBe(false);
  rewrite(rewriter, settings.subarray(-1));
  expect(rewriter.prefaceDone).toBe(true);
});

describe("malformed", () => {
  const half = rawFrame(frame.headers, 0, 1, block.subarray(0, 9));
  test.each<[string, readonly Buffer[], string]>([
    ["another frame amid a block", [half, rawFrame(frame.data, 0, 1)], "a frame amid a header block"],
    ["HEADERS amid a block", [half, rawFrame(frame.headers, endHeaders, 1, block)], "a frame amid a header block"],
    ["the continuation of another stream", [half, rawFrame(frame.continuation, endHeaders, 3, block)], "a frame amid a header block"],
    ["CONTINUATION alone", [rawFrame(frame.continuation, endHeaders, 1, block)], "CONTINUATION without HEADERS"],
    ["empty continuations without end", [half, rawFrame(frame.continuation, 0, 1)], "an empty CONTINUATION"],
    [
      "more than 64 KiB",
      [half, ...Array.from({ length: 5 }, () => rawFrame(frame.continuation, 0, 1, Buffer.alloc(16_384)))],
      "a header block that is too large",
    ],
    ["a frame that is too large", [rawFrame(frame.headers, endHeaders, 1, Buffer.alloc(16_385))], "a frame of headers that is too large"],
    ["more padding than payload", [rawFrame(frame.headers, endHeaders | padded, 1, Buffer.of(4, 0, 0))], "more padding than payload"],
    ["padding without payload", [rawFrame(frame.headers, endHeaders | padded, 1)], "more padding than payload"],
    ["too short for its priority", [rawFrame(frame.headers, endHeaders | priority, 1, Buffer.alloc(4))], "more padding than payload"],
    ["HEADERS of the connection", [rawFrame(frame.headers, endHeaders, 0, block)], "HEADERS without a stream"],
    [
      "a field at an index that nobody has",
      [rawFrame(frame.headers, endHeaders, 1, Buffer.of(0xff, 0x10))],
      "no header field has the index",
    ],
  ])("%s", (_, sent, message) => {
    expect(() => rewritten(...sent)).toThrow(message);
    expect(() => rewritten(...sent)).toThrow(MalformedHeaders);
  });

  test.each([
    ["HTTP/1.1", Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), "not HTTP/2"],
    [
      "a first frame that is not SETTINGS",
      Buffer.concat([magic, rawFrame(frame.ping, 0, 0, Buffer.alloc(8))]),
      "the first frame is not SETTINGS",
    ],
  ])("%s", (_, sent, message) => {
    expect(() => rewrite(new AuthorityRewriter(), sent)).toThrow(message);
  });
});
