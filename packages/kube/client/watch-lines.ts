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
  const decoder = new TextDecoder();
  const partial = new PartialLine();
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const tail = chunk.subarray(start, end);
      start = end + 1;
      const line = decoder.decode(partial.length > 0 ? partial.complete(tail) : tail);
      if (line !== "") yield line;
    }
    if (start < chunk.length) partial.add(chunk.subarray(start));
  }
  if (partial.length > 0) throw new TransportError("reset", "the watch ended in the middle of an event: the connection was cut off");
}

/**
 * The start of a line whose end has not arrived. It copies what it is given: the transport may use a chunk's memory again, and a short
 * rest must not keep a long chunk alive. One buffer, because an object for each chunk would cost more than the chunk if those are tiny.
 */
class PartialLine {
  #buffer = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > maxLineBytes) {
      throw new TransportError("other", `the watch sent an event larger than ${maxLineBytes / 1024 / 1024} MiB, which is not read further`);
    }
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(this.#length === 0 ? length : Math.max(length, 2 * this.#buffer.length));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = length;
  }

  /** The whole line; the next one starts empty. */
  complete(tail: Uint8Array): Uint8Array {
    this.add(tail);
    const line = this.#buffer.subarray(0, this.#length);
    this.#buffer = new Uint8Array(0);
    this.#length = 0;
    return line;
  }
}
