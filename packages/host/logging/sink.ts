import { writeSync } from "node:fs";
import { type Clock, systemErrorCode, type Timer } from "@csi-sidecars/base";

/** Where finished lines go. */
export interface Sink {
  write(text: string): void;
  /** Writes what is still held back. */
  flush(): void;
  /** Whether the reader has gone away, as `head` does: nobody sees what is written from now on. */
  isGone?(): boolean;
}

const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes to a file descriptor at once and completely: what was logged is out even if the next statement ends the process. A
 * reader that is too slow is waited for; one that is gone (or a full disk) costs the line, never the process.
 */
export function descriptorSink(descriptor: number, write: typeof writeSync = writeSync): Sink {
  let isGone = false;
  return {
    write(text) {
      let bytes: Uint8Array = Buffer.from(text);
      while (bytes.length > 0) {
        try {
          bytes = bytes.subarray(write(descriptor, bytes));
        } catch (error) {
          if (!busy(error)) {
            isGone ||= systemErrorCode(error) === "EPIPE";
            return;
          }
          Atomics.wait(pause, 0, 0, 1);
        }
      }
    },
    flush() {},
    isGone: () => isGone,
  };
}

const busy = (error: unknown) => ["EAGAIN", "EINTR"].includes(systemErrorCode(error) ?? "");

/** Gathers lines and writes them together: when `bytes` are full, after `everyMs`, and on `flush`. */
export function bufferedSink(sink: Sink, bytes: number, everyMs: number, clock: Clock): Sink {
  let held = "";
  let timer: Timer | undefined;
  const flush = () => {
    timer?.cancel();
    timer = undefined;
    if (held !== "") sink.write(held);
    held = "";
    sink.flush();
  };
  return {
    write(text) {
      held += text;
      if (held.length >= bytes) flush();
      else timer ??= clock.after(everyMs, flush);
    },
    flush,
  };
}
