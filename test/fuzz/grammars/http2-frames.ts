import { frameMessage } from "../../../packages/csi/grpc/framing.ts";
import type { Random } from "../engine/random.ts";

export const types = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const endStream = 1;
export const endHeaders = 4;
/** A client's first stream. */
const stream = 1;

/** Frames and names that mutations insert. */
export const http2Tokens: readonly [string, ...string[]] = [
  latin1(frame(types.rstStream, 0, stream, uint32(8))),
  latin1(frame(types.rstStream, 0, stream, uint32(7))),
  latin1(frame(types.goaway, 0, 0, Buffer.concat([uint32(0), uint32(0)]))),
  latin1(frame(types.goaway, 0, 0, Buffer.concat([uint32(stream), uint32(2)]))),
  latin1(frame(types.settings, 0, 0, new Uint8Array())),
  latin1(frame(types.ping, 0, 0, new Uint8Array(8))),
  latin1(frame(types.data, endStream, stream, new Uint8Array())),
  latin1(frame(types.headers, endHeaders | endStream, stream, block([["grpc-status", "0"]]))),
  "\0\0\0\0\0",
  "grpc-status",
  "grpc-message",
  "application/grpc",
  "%E2%82%AC",
  "\x88",
  "\xff",
];

/** What a gRPC server sends for one unary call, as HTTP/2 frames. */
export function grpcResponse(random: Random): Uint8Array {
  const status = random.pick([0, 0, 0, 1, 5, 8, 9, 14, 16, 17, 99]);
  const trailers: Header[] = [["grpc-status", String(status)]];
  if (status !== 0)
    trailers.push(["grpc-message", random.pick(["", "no such volume", "%E2%82%AC", "100%", "x".repeat(random.below(300))])]);
  const head: Header[] = [
    [":status", random.chance(0.95) ? "200" : String(random.pick([404, 500, 503, 301]))],
    ["content-type", random.chance(0.95) ? random.pick(["application/grpc", "application/grpc+proto"]) : "text/html"],
    ...random.several(2, (): Header => [random.pick(["x-a", "date", "grpc-encoding"]), random.pick(["identity", "gzip", "1"])]),
  ];
  if (random.chance(0.2)) return Buffer.concat([...between(random), headers(random, [...head, ...trailers], endStream)]);
  const messages = Buffer.concat(
    Array.from({ length: random.pick([1, 1, 1, 1, 0, 2]) }, () => frameMessage(random.bytes(random.below(random.pick([5, 50, 5_000]))))),
  );
  return Buffer.concat([
    ...between(random),
    headers(random, head, 0),
    ...between(random),
    ...data(random, messages),
    ...between(random),
    random.chance(0.95) ? headers(random, trailers, endStream) : frame(types.data, endStream, stream, new Uint8Array()),
  ]);
}

function data(random: Random, bytes: Uint8Array): readonly Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random.below(random.pick([3, 2_000, 16_384]));
    frames.push(frame(types.data, 0, stream, bytes.subarray(at, at + size)));
    at += size;
  }
  return frames;
}

/** Frames that say nothing about the call, or end it. */
function between(random: Random): readonly Uint8Array[] {
  return random.chance(0.85)
    ? []
    : random.several(2, () =>
        random.pick([
          frame(types.ping, 0, 0, new Uint8Array(8)),
          frame(types.windowUpdate, 0, random.pick([0, stream]), uint32(1 + random.below(1_000))),
          frame(types.settings, 0, 0, new Uint8Array()),
          frame(types.priority, 0, stream, new Uint8Array(5)),
          frame(0x20, 0, stream, random.bytes(4)),
          frame(types.rstStream, 0, stream, uint32(random.below(15))),
          frame(types.goaway, 0, 0, Buffer.concat([uint32(random.pick([0, stream])), uint32(random.below(15))])),
        ]),
      );
}

type Header = readonly [name: string, value: string];

function headers(random: Random, list: readonly Header[], flags: number): Uint8Array {
  const bytes = block(list);
  if (random.chance(0.9)) return frame(types.headers, flags | endHeaders, stream, bytes);
  const cut = random.below(bytes.length);
  return Buffer.concat([
    frame(types.headers, flags, stream, bytes.subarray(0, cut)),
    frame(types.continuation, endHeaders, stream, bytes.subarray(cut)),
  ]);
}

/** HPACK without its tables: each field is a literal. */
function block(list: readonly Header[]): Buffer {
  return Buffer.concat(list.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

/** A string of HPACK. */
export function text(value: string): Buffer {
  const bytes = Buffer.from(value, "latin1");
  const length = [Math.min(bytes.length, 127)];
  for (let left = bytes.length - 127; left >= 0; left = Math.floor(left / 128)) {
    length.push(left >= 128 ? (left % 128) + 128 : left);
    if (left < 128) break;
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

export function frame(type: number, flags: number, id: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(id, 5);
  return Buffer.concat([head, payload]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function latin1(bytes: Buffer): string {
  return bytes.toString("latin1");
}
