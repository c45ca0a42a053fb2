import { HeldBytes } from "../transport/held-bytes.ts";
import { TransportError } from "../transport/transport.ts";

/** As in client-go. An object in etcd has 1.5 MiB at most. */
const maxLineBytes = 16 * 1024 * 1024;

const newline = 0x0a;

/**
 * The lines of a byte stream, each decoded when it is read. Lines may span chunks and chunks may split characters; empty lines are
 * skipped. A stream that ends inside a line was cut off: an error of kind "reset". A line that is too long is one of kind "other",
 * as soon as that is known.
 */
export async function* watchLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const lines = new LineSplitter();
  for await (const chunk of chunks) {
    lines.push(chunk);
    for (let line = lines.next(); line !== undefined; line = lines.next()) if (line !== "") yield line;
  }
  if (lines.inLine) throw new TransportError("reset", "the watch ended in the middle of an event: the connection was cut off");
}

/** Splits one chunk after the other. A generator would hold on to a chunk, although all of its lines were read, until the next one comes. */
class LineSplitter {
  readonly #decoder = new TextDecoder();
  #chunk: Uint8Array | undefined;
  #start = 0;
  /** The beginning of a line whose end has not come yet. */
  #partial: HeldBytes | undefined;

  get inLine(): boolean {
    return this.#partial !== undefined;
  }

  push(chunk: Uint8Array): void {
    this.#chunk = chunk;
    this.#start = 0;
  }

  /** `undefined`: another chunk is needed. */
  next(): string | undefined {
    const chunk = this.#chunk;
    if (!chunk) return undefined;
    const end = chunk.indexOf(newline, this.#start);
    if (end < 0) {
      this.#chunk = undefined;
      this.#hold(chunk.subarray(this.#start));
      return undefined;
    }
    const line = this.#decoder.decode(append(this.#partial, chunk.subarray(this.#start, end)));
    this.#partial = undefined;
    this.#start = end + 1;
    return line;
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#partial ??= new HeldBytes();
    append(this.#partial, bytes);
  }
}

/** Refuses a line that is too long before its bytes are copied. */
function append(held: HeldBytes | undefined, bytes: Uint8Array): Uint8Array {
  if ((held?.length ?? 0) + bytes.length > maxLineBytes)
    throw new TransportError("other", `the watch sent an event larger than ${maxLineBytes / 1024 / 1024} MiB, which is not read further`);
  return held?.append(bytes) ?? bytes;
}
