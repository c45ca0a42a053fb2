import { frameMessage, MessageReader } from "../../../packages/csi/grpc/framing.ts";
import { GrpcError } from "../../../packages/csi/grpc/status.ts";
import type { Random } from "../engine/random.ts";
import { splits } from "../engine/split.ts";
import { expectSame, type Target } from "../engine/target.ts";

const maxBytes = 64 * 1024;

/** The messages of a stream, and how it ended. */
interface Messages {
  readonly messages: readonly string[];
  readonly end: string;
}

export const grpcMessages: Target = {
  name: "grpc-messages",
  about: "the length-prefixed messages of a gRPC stream: the same ones, or the same status, in whatever pieces the bytes come",
  tokens: ["\0\0\0\0\0", "\0\0\0\0\x05", "\x01\0\0\0\0", "\0\xff\xff\xff\xff", "\0\0\x01\0\0", "\0\0\x01\0\x01", "\x02", "\x80"],
  generate: (random) => Buffer.concat(random.several(4, () => frameMessage(message(random)))),
  open: () => ({
    check(input) {
      const expected = specified(Buffer.from(input));
      for (const pieces of [[input], ...splits(input)]) expectSame("not the messages of the stream", read(pieces), expected);
    },
  }),
};

const message = (random: Random) => random.bytes(random.below(random.pick([3, 40, 40, 400, 70_000])));

function read(pieces: readonly Uint8Array[]): Messages {
  const reader = new MessageReader({ maxBytes, side: "client" });
  const messages: string[] = [];
  try {
    for (const piece of pieces) reader.push(piece, (bytes) => messages.push(digest(bytes)));
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    return { messages, end: error.codeName };
  }
  return { messages, end: reader.partial ? "cut off" : "complete" };
}

/** The same by the words of the specification: a flag, a length of four bytes, the message. */
function specified(stream: Buffer): Messages {
  const messages: string[] = [];
  for (let at = 0; at < stream.length; ) {
    if (stream.length - at < 5) return { messages, end: "cut off" };
    const length = stream.readUInt32BE(at + 1);
    if (stream[at] !== 0) return { messages, end: "Internal" };
    if (length > maxBytes) return { messages, end: "ResourceExhausted" };
    if (stream.length - at < 5 + length) return { messages, end: "cut off" };
    messages.push(digest(stream.subarray(at + 5, at + 5 + length)));
    at += 5 + length;
  }
  return { messages, end: "complete" };
}

const digest = (bytes: Uint8Array) => `${bytes.length} bytes, ${Bun.hash.crc32(bytes)}`;
