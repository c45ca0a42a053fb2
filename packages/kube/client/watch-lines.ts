import { TransportError } from "../transport/transport.ts";

const newline = 0x0a;

/**
 * The lines of a byte stream, each decoded once and only when asked for. Lines may span chunks and chunks may cut characters;
 * empty lines are skipped. A stream that ends inside a line was cut off: an error of kind "reset".
 */
export async function* watchLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let begun: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const tail = chunk.subarray(start, end);
      start = end + 1;
      const line = begun.length > 0 ? decoder.decode(join(begun, tail)) : decoder.decode(tail);
      begun = [];
      if (line !== "") yield line;
    }
    // A copy: the transport may use the chunk's memory again, and a short rest must not keep a long chunk alive.
    if (start < chunk.length) begun.push(chunk.slice(start));
  }
  if (begun.length > 0) throw new TransportError("reset", "the watch ended in the middle of an event: the connection was cut off");
}

function join(parts: readonly Uint8Array[], last: Uint8Array): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, last.length));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  whole.set(last, at);
  return whole;
}
