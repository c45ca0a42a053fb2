import type { Clock, Timer } from "@csi-sidecars/base";
import type { KubeObject } from "../object.ts";
import { TransportError } from "../transport/transport.ts";
import type { WatchEvent } from "./client.ts";
import { stripManagedFields } from "./strip-managed-fields.ts";

/**
 * The events in the body of a watch, parsed one at a time as they are read. `return()` (leaving a loop) ends the watch at once, also
 * before the first read or while the next event is awaited: a plain generator would wait for that event.
 */
export function watchEvents<T extends KubeObject>(
  chunks: AsyncIterable<Uint8Array>,
  cancellation: WatchCancellation,
): AsyncIterableIterator<WatchEvent<T>, void> {
  const events = parsedEvents<T>(chunks, cancellation);
  return {
    next: () => events.next(),
    return() {
      cancellation.end();
      return events.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* parsedEvents<T extends KubeObject>(
  chunks: AsyncIterable<Uint8Array>,
  cancellation: WatchCancellation,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  try {
    for await (const line of watchLines(chunks)) yield parseEvent(line);
  } catch (error) {
    if (!cancellation.ended) throw cancellation.explain(error);
  } finally {
    cancellation.release();
  }
}

function parseEvent<T>(line: string): WatchEvent<T> {
  try {
    return JSON.parse(stripManagedFields(line));
  } catch (cause) {
    throw new TransportError("other", "the watch sent a line that is not JSON", { cause });
  }
}

/** A watch that ended while it was opened. */
export async function* noEvents(): AsyncGenerator<never, void, undefined> {}

const newline = 0x0a;

/**
 * The lines of a byte stream, each decoded when it is read. Lines may span chunks and chunks may split characters; empty lines are
 * skipped. A stream that ends inside a line was cut off: an error of kind "reset".
 */
export async function* watchLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let partial: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const tail = chunk.subarray(start, end);
      start = end + 1;
      const line = partial.length > 0 ? decoder.decode(join(partial, tail)) : decoder.decode(tail);
      partial = [];
      if (line !== "") yield line;
    }
    // A copy: the transport may use the chunk's memory again, and a short rest must not keep a long chunk alive.
    if (start < chunk.length) partial.push(chunk.slice(start));
  }
  if (partial.length > 0) throw new TransportError("reset", "the watch ended in the middle of an event: the connection was cut off");
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

/**
 * Ends a watch from the client side: when its caller aborts, or when it outlives the timeout after which the server should have
 * closed it. Without the latter a half-open connection would look like a quiet cluster forever.
 */
export class WatchCancellation {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #caller: AbortSignal | undefined;
  readonly #onCallerAbort = () => this.#controller.abort(this.#caller?.reason);
  #timer: Timer | undefined;
  #expired: TransportError | undefined;
  #ended = false;

  constructor(clock: Clock, caller: AbortSignal | undefined) {
    this.#clock = clock;
    this.#caller = caller;
    if (caller?.aborted) this.#onCallerAbort();
    else caller?.addEventListener("abort", this.#onCallerAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The watch ends `ms` from now at the latest. */
  limit(ms: number, what: string): void {
    this.#timer = this.#clock.after(ms, () => {
      this.#expired = new TransportError(
        "timeout",
        `${what}: the server did not end the watch within ${ms / 1000} s, the connection seems to be half open`,
      );
      this.#controller.abort(this.#expired);
    });
  }

  /** The reader has stopped: later errors of the connection are ignored. */
  end(): void {
    this.#ended = true;
    this.#controller.abort();
    this.release();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The error to report instead of `error`, which may only be the consequence of our own abort. */
  explain(error: unknown): unknown {
    return this.#expired ?? error;
  }

  /** The watch is over: releases timer and listener. */
  release(): void {
    this.#timer?.cancel();
    this.#caller?.removeEventListener("abort", this.#onCallerAbort);
  }
}
