import { type Clock, parseExactJson, type Timer } from "@csi-sidecars/base";
import type { KubeObject } from "../object.ts";
import { TransportError } from "../transport/transport.ts";
import type { WatchEvent } from "./client.ts";
import { stripManagedFields } from "./strip-managed-fields.ts";
import { watchLines } from "./watch-lines.ts";

/**
 * The events in the body of a watch, parsed one at a time as they are read. `return()` (leaving a loop) ends the watch at once, also
 * before the first read or while the next event is awaited: a plain generator would wait for that event. With `int64`, integers that a
 * number cannot hold are bigints.
 */
export function watchEvents<T extends KubeObject>(
  chunks: AsyncIterable<Uint8Array>,
  cancellation: WatchCancellation,
  int64 = false,
): AsyncIterableIterator<WatchEvent<T>, void> {
  const events = parsedEvents<T>(chunks, cancellation, int64);
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
  int64: boolean,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  try {
    for await (const line of watchLines(chunks)) yield parseEvent(line, int64);
  } catch (error) {
    if (!cancellation.ended) throw cancellation.explain(error);
  } finally {
    cancellation.release();
  }
}

const eventTypes: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

function parseEvent<T>(line: string, int64: boolean): WatchEvent<T> {
  let event: WatchEvent<T> | null;
  try {
    const text = stripManagedFields(line);
    event = int64 ? (parseExactJson(text) as WatchEvent<T> | null) : JSON.parse(text);
  } catch (cause) {
    throw new TransportError("other", "the watch sent a line that is not JSON", { cause });
  }
  if (!eventTypes.has(event?.type) || typeof event?.object !== "object" || event.object === null) {
    throw new TransportError("other", "the watch sent a line that is not a watch event");
  }
  return event;
}

/** A watch that ended while it was opened. */
export async function* noEvents(): AsyncGenerator<never, void, undefined> {}

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
