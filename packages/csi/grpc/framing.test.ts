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

  test("a message of 10 MB in 16 KB chunks", () => {
    const large = frameMessage(new Uint8Array(10 << 20).fill(120));
    const chunks = Array.from({ length: Math.ceil(large.length / 16_384) }, (_, i) => large.subarray(i * 16_384, (i + 1) * 16_384));
    expect(read(chunks).map((m) => m.length)).toEqual([10 << 20]);
  });
});
