import { endOfField } from "./head.ts";
import { MalformedResponseError } from "./response-error.ts";

/** As in net/http of Go: one line between chunks, and all trailers together. */
export const maxLineBytes = 4096;
/** As in net/http of Go: bytes that are no data, beyond 16 for a chunk and twice its data. */
const maxExcessBytes = 16 * 1024;
/** Fits into the integers of JavaScript. */
const maxSizeDigits = 13;

/** Reads the lines of a chunked body, and bounds what they cost: a server could send ever more extensions and trailers. */
export class ChunkLines {
  #excess = 0;
  #trailerBytes = 0;

  /** The size of the chunk that follows, from a line without its end. Extensions are ignored. */
  size(line: string): number {
    const digits = /^[\da-f]*/i.exec(line)?.[0] ?? "";
    if (digits === "" || digits.length > maxSizeDigits || !/^[ \t]*(?:$|;)/.test(line.slice(digits.length)))
      throw new MalformedResponseError("the size of a chunk is not a number");
    if (line.includes("\r")) throw new MalformedResponseError("the size of a chunk contains a control character");
    const size = Number.parseInt(digits, 16);
    this.#excess = Math.max(0, this.#excess + line.length + 4 - 16 - 2 * size);
    if (this.#excess > maxExcessBytes) throw new MalformedResponseError("its chunks are mostly extensions");
    return size;
  }

  /** Checks a line after the last chunk, with its end. Returns whether it ends the body. */
  trailer(line: string): boolean {
    if (line === "\r\n") return true;
    this.#trailerBytes += line.length;
    if (this.#trailerBytes > maxLineBytes) throw new MalformedResponseError(`its trailers are longer than ${maxLineBytes} bytes`);
    endOfField(line, 0);
    return false;
  }
}
