import { Code, GrpcError } from "./status.ts";

const prefixLength = 5;
const nothing = new Uint8Array();
/** A peer that has sent so much of a message is believed its length; the system gives memory only as it is filled. */
const trustedBytes = 1024 * 1024;

/** A message as it goes into DATA frames: uncompressed flag, length, bytes. */
export function frameMessage(message: Uint8Array): Uint8Array {
  const framed = new Uint8Array(prefixLength + message.length);
  new DataView(framed.buffer).setUint32(1, message.length);
  framed.set(message, prefixLength);
  return framed;
}

/** What a reader tolerates, and in whose name it complains. */
export interface ReaderOptions {
  readonly maxBytes: number;
  readonly side: "client" | "server";
  /** The peer's `grpc-encoding` header. */
  readonly encoding?: string | undefined;
}

/**
 * Takes messages out of DATA chunks, however the peer cut them. Throws a {@link GrpcError} for what cannot be read: a compressed
 * message (none was offered), one above the limit, an unknown flag.
 *
 * A message that arrives in one chunk is handed out where it lies. Any other is copied into one buffer, which at first grows with what has
 * arrived and not to the length the peer announced: a million chunks of one byte cost a megabyte.
 */
export class MessageReader {
  readonly #options: ReaderOptions;
  #buffer = nothing;
  #filled = 0;
  /** The bytes of the message in the buffer, its prefix included; known as soon as the prefix is there. */
  #size = prefixLength;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Whether bytes of an unfinished message wait: at the end of a stream that means it was cut off. */
  get partial(): boolean {
    return this.#filled > 0;
  }

  push(chunk: Uint8Array, onMessage: (message: Uint8Array) => void): void {
    let rest = chunk;
    while (rest.length > 0) {
      const size = this.#filled === 0 && rest.length >= prefixLength ? this.#sizeOf(rest) : Number.POSITIVE_INFINITY;
      if (rest.length >= size) {
        onMessage(rest.subarray(prefixLength, size));
        rest = rest.subarray(size);
      } else {
        rest = this.#collect(rest);
        const message = this.#collected();
        if (message) onMessage(message);
      }
    }
  }

  /** Moves bytes into the buffer, as many as the prefix or the message still lacks; returns the others. */
  #collect(bytes: Uint8Array): Uint8Array {
    const taken = bytes.subarray(0, this.#size - this.#filled);
    this.#reserve(this.#filled + taken.length);
    this.#buffer.set(taken, this.#filled);
    this.#filled += taken.length;
    if (this.#filled === prefixLength) this.#size = this.#sizeOf(this.#buffer);
    return bytes.subarray(taken.length);
  }

  #reserve(length: number): void {
    if (this.#buffer.length >= length) return;
    const wanted = length >= trustedBytes ? this.#size : Math.min(this.#size, 2 * this.#buffer.length);
    const larger = new Uint8Array(Math.max(length, wanted));
    larger.set(this.#buffer.subarray(0, this.#filled));
    this.#buffer = larger;
  }

  #collected(): Uint8Array | undefined {
    if (this.#filled < this.#size) return undefined;
    const message = this.#buffer.subarray(prefixLength, this.#size);
    this.#buffer = nothing;
    this.#filled = 0;
    this.#size = prefixLength;
    return message;
  }

  /** The size of the message that begins here, its prefix included. */
  #sizeOf(bytes: Uint8Array): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset, prefixLength);
    this.#checkFlag(view.getUint8(0));
    const length = view.getUint32(1);
    if (length > this.#options.maxBytes) {
      const details = `grpc: received message larger than max (${length} vs. ${this.#options.maxBytes})`;
      throw new GrpcError(Code.ResourceExhausted, details, { origin: "transport" });
    }
    return prefixLength + length;
  }

  #checkFlag(flag: number): void {
    if (flag === 0) return;
    const { encoding, side } = this.#options;
    if (flag !== 1) throw new GrpcError(Code.Internal, `grpc: received unexpected payload format ${flag}`, { origin: "transport" });
    if (!encoding || encoding === "identity") {
      throw new GrpcError(Code.Internal, "grpc: compressed flag set with identity or empty encoding", { origin: "transport" });
    }
    const code = side === "server" ? Code.Unimplemented : Code.Internal;
    throw new GrpcError(code, `grpc: Decompressor is not installed for grpc-encoding ${JSON.stringify(encoding)}`, { origin: "transport" });
  }
}
