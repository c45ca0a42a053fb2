import type { Random } from "../engine/random.ts";
import { endHeaders, endStream, frame, latin1, text, types } from "./http2-frames.ts";

const padded = 8;
const priority = 0x20;
const magic = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");
const preface = Buffer.concat([magic, frame(types.settings, 0, 0, new Uint8Array())]);

/** `:method: POST`, `:scheme: http` and `:path: /`, from the static table. */
const post = Buffer.of(0x83, 0x86, 0x84);
const authority = Buffer.concat([Buffer.of(0x01), text("/csi.sock")]);

/** Frames and fields that mutations insert. */
export const http2RequestTokens: readonly [string, ...string[]] = [
  latin1(frame(types.headers, endHeaders | endStream, 1, post)),
  latin1(frame(types.headers, 0, 3, post)),
  latin1(frame(types.continuation, endHeaders, 1, new Uint8Array())),
  latin1(frame(types.continuation, endHeaders, 3, authority)),
  latin1(frame(types.data, endStream, 1, new Uint8Array(5))),
  latin1(frame(types.settings, 0, 0, new Uint8Array())),
  latin1(authority),
  "\xbe",
  "\xbf",
  "\x3f\xe1\x1f",
  "\x20",
  "\x81\xff",
];

/** What a gRPC client sends over one connection: requests whose header blocks use all that HPACK has. */
export function http2Requests(random: Random): Uint8Array {
  const calls = Array.from({ length: 1 + random.below(4) }, (_, index) => call(random, 1 + 2 * index));
  return Buffer.concat([preface, ...calls.flat()]);
}

function call(random: Random, stream: number): readonly Uint8Array[] {
  const fields = random.several(6, () => field(random));
  const hasAuthority = random.chance(0.8) ? [random.chance(0.5) ? authority : Buffer.concat([Buffer.of(0x41), text("localhost")])] : [];
  const block = Buffer.concat([...(random.chance(0.1) ? [sizeUpdate(random)] : []), post, ...hasAuthority, ...fields]);
  const data = random.chance(0.7) ? [frame(types.data, endStream, stream, random.bytes(random.below(100)))] : [];
  return [...headers(random, stream, block, data.length === 0 ? endStream : 0), ...data];
}

function headers(random: Random, stream: number, block: Buffer, end: number): readonly Uint8Array[] {
  if (random.chance(0.2)) {
    const cut = random.below(block.length);
    return [frame(types.headers, end, stream, block.subarray(0, cut)), frame(types.continuation, endHeaders, stream, block.subarray(cut))];
  }
  const padding = random.chance(0.1) ? random.below(20) : undefined;
  const dependency = random.chance(0.1) ? [new Uint8Array(5)] : [];
  const flags = end | endHeaders | (padding === undefined ? 0 : padded) | (dependency.length > 0 ? priority : 0);
  const payload = [...(padding === undefined ? [] : [Buffer.of(padding)]), ...dependency, block, Buffer.alloc(padding ?? 0)];
  return [frame(types.headers, flags, stream, Buffer.concat(payload))];
}

const names = ["te", "x-a", "grpc-timeout", "user-agent", "x-long", "cookie"] as const;

function field(random: Random): Buffer {
  const value = () => string(random, random.pick(["trailers", "5S", "", "a b", "x".repeat(random.below(random.pick([20, 300, 4_000])))]));
  const name = () => string(random, random.pick(names));
  switch (random.below(6)) {
    case 0:
      return Buffer.of(0x80 | random.pick([16, 19, 31, 62, 62, 63, 64]));
    case 1:
      return Buffer.concat([Buffer.of(0x40 | random.pick([19, 31, 58, 62])), value()]);
    case 2:
      return Buffer.concat([Buffer.of(random.pick([0x00, 0x10])), name(), value()]);
    default:
      return Buffer.concat([Buffer.of(0x40), name(), value()]);
  }
}

/** Some texts in HPACK's Huffman code, which is a table that nobody writes by hand. */
const coded: Readonly<Record<string, string>> = { te: "SX8=", trailers: "TYM1BbEf", "x-a": "8rD/", "": "" };

function string(random: Random, value: string): Buffer {
  const huffman = random.chance(0.4) ? coded[value] : undefined;
  if (huffman === undefined) return text(value);
  const bytes = Buffer.from(huffman, "base64");
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

function sizeUpdate(random: Random): Buffer {
  return random.pick([Buffer.of(0x20), Buffer.of(0x3e), Buffer.of(0x3f, 0xe1, 0x1f), Buffer.of(0x3f, 0xe2, 0x1f)]);
}
