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
  const decoder = new TextDecoder();
  let partial: HeldBytes | undefined;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const line = decoder.decode(append(partial, chunk.subarray(start, end)));
      partial = undefined;
      start = end + 1;
      if (line !== "") yield line;
    }
    if (start === chunk.length) continue;
    partial ??= new HeldBytes();
    append(partial, chunk.subarray(start));
  }
  if (partial) throw new TransportError("reset", "the watch ended in the middle of an event: the connection was cut off");
}

/** Refuses a line that is too long before its bytes are copied. */
function append(held: HeldBytes | undefined, bytes: Uint8Array): Uint8Array {
  if ((held?.length ?? 0) + bytes.length > maxLineBytes)
    throw new TransportError("other", `the watch sent an event larger than ${maxLineBytes / 1024 / 1024} MiB, which is not read further`);
  return held?.append(bytes) ?? bytes;
}
