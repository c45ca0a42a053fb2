import { Code, GrpcError } from "./status.ts";

const prefixLength = 5;

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
 */
export class MessageReader {
  readonly #options: ReaderOptions;
  #chunks: Uint8Array[] = [];
  #buffered = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Whether bytes of an unfinished message wait: at the end of a stream that means it was cut off. */
  get partial(): boolean {
    return this.#buffered > 0;
  }

  push(chunk: Uint8Array, onMessage: (message: Uint8Array) => void): void {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    while (this.#buffered >= prefixLength) {
      const length = this.#messageLength();
      if (this.#buffered < prefixLength + length) return;
      onMessage(this.#take(prefixLength + length).subarray(prefixLength));
    }
  }

  #messageLength(): number {
    if ((this.#chunks[0]?.length ?? 0) < prefixLength) this.#join();
    const [head] = this.#chunks;
    if (!head) return 0;
    const view = new DataView(head.buffer, head.byteOffset, prefixLength);
    this.#checkFlag(view.getUint8(0));
    const length = view.getUint32(1);
    if (length > this.#options.maxBytes) {
      const details = `grpc: received message larger than max (${length} vs. ${this.#options.maxBytes})`;
      throw new GrpcError(Code.ResourceExhausted, details, { origin: "transport" });
    }
    return length;
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

  #take(length: number): Uint8Array {
    if ((this.#chunks[0]?.length ?? 0) < length) this.#join();
    const [head] = this.#chunks;
    if (!head) return new Uint8Array();
    if (head.length === length) this.#chunks.shift();
    else this.#chunks[0] = head.subarray(length);
    this.#buffered -= length;
    return head.subarray(0, length);
  }

  #join(): void {
    this.#chunks = [Buffer.concat(this.#chunks)];
  }
}
