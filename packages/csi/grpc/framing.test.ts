import { describe, expect, test } from "bun:test";
import { frameMessage, MessageReader } from "./framing.ts";

const unlimited = { maxBytes: Number.POSITIVE_INFINITY, side: "client" } as const;
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (value: string) => new TextEncoder().encode(value);

function read(chunks: readonly Uint8Array[], options: ConstructorParameters<typeof MessageReader>[0] = unlimited): string[] {
  const reader = new MessageReader(options);
  const messages: string[] = [];
  for (const chunk of chunks) reader.push(chunk, (message) => messages.push(text(message)));
  if (reader.partial) messages.push("<partial>");
  return messages;
}

describe("reading messages", () => {
  const one = frameMessage(bytes("hello"));
  const empty = frameMessage(new Uint8Array());
  const both = Buffer.concat([one, frameMessage(bytes("world"))]);

  test.each([
    ["one chunk", [one], ["hello"]],
    ["byte by byte", [...one].map((b) => Uint8Array.of(b)), ["hello"]],
    ["two in one chunk", [both], ["hello", "world"]],
    ["cut inside the second prefix", [both.subarray(0, 12), both.subarray(12)], ["hello", "world"]],
    ["an empty message", [empty], [""]],
    ["an empty chunk", [new Uint8Array(), one], ["hello"]],
    ["cut off", [one.subarray(0, 7)], ["<partial>"]],
    ["cut off in the prefix", [one.subarray(0, 3)], ["<partial>"]],
  ])("%s", (_, chunks, expected) => {
    expect(read(chunks)).toEqual(expected);
  });

  test("one that is as large as allowed", () => {
    expect(read([one], { ...unlimited, maxBytes: 5 })).toEqual(["hello"]);
  });

  const compressed = Uint8Array.of(1, 0, 0, 0, 0);
  test.each([
    ["too large", one, { ...unlimited, maxBytes: 4 }, "code = ResourceExhausted desc = grpc: received message larger than max (5 vs. 4)"],
    ["compressed, no encoding", compressed, unlimited, "code = Internal desc = grpc: compressed flag set with identity or empty encoding"],
    [
      "compressed, at a client",
      compressed,
      { ...unlimited, encoding: "gzip" },
      'code = Internal desc = grpc: Decompressor is not installed for grpc-encoding "gzip"',
    ],
    [
      "compressed, at a server",
      compressed,
      { ...unlimited, side: "server" as const, encoding: "gzip" },
      "code = Unimplemented desc = grpc: Decompressor",
    ],
    ["unknown flag", Uint8Array.of(9, 0, 0, 0, 0), unlimited, "code = Internal desc = grpc: received unexpected payload format 9"],
  ])("refuses what is %s", (_, chunk, options, message) => {
    expect(() => read([chunk], options)).toThrow(message);
  });

  test.each([
    ["10 MB in 16 KB chunks", 10 << 20, 16_384],
    ["10 MB in chunks of a prime", 10 << 20, 65_537],
    ["100 KB in 1 byte chunks", 100_000, 1],
  ])("%s, and another message after it", (_, length, size) => {
    const long = "0123456789".repeat(Math.ceil(length / 10));
    const stream = Buffer.concat([frameMessage(bytes(long)), one]);
    const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, i) => stream.subarray(i * size, (i + 1) * size));
    const [first, ...others] = read(chunks);
    expect(first === long).toBe(true);
    expect(others).toEqual(["hello"]);
  });
});
