import type { KubeObject } from "../object.ts";
import { TransportError } from "../transport/transport.ts";
import type { WatchEvent } from "./client.ts";
import type { WatchGuard } from "./watch-guard.ts";
import { watchLines } from "./watch-lines.ts";
import { withoutManagedFields } from "./without-managed-fields.ts";

/**
 * The events in the body of a watch, parsed one at a time as they are asked for. `return()` (a loop that is left) ends the watch at
 * once, also when it was never begun or while the next event is awaited: a bare generator would wait for that event.
 */
export function watchEvents<T extends KubeObject>(
  chunks: AsyncIterable<Uint8Array>,
  guard: WatchGuard,
): AsyncIterableIterator<WatchEvent<T>, void> {
  const events = parsedEvents<T>(chunks, guard);
  return {
    next: () => events.next(),
    return() {
      guard.end();
      return events.return();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* parsedEvents<T extends KubeObject>(
  chunks: AsyncIterable<Uint8Array>,
  guard: WatchGuard,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  try {
    for await (const line of watchLines(chunks)) yield parseEvent(line);
  } catch (error) {
    if (!guard.ended) throw guard.explain(error);
  } finally {
    guard.release();
  }
}

function parseEvent<T>(line: string): WatchEvent<T> {
  try {
    return JSON.parse(withoutManagedFields(line));
  } catch (cause) {
    throw new TransportError("other", "the watch sent a line that is not JSON", { cause });
  }
}

/** A watch that is over before it began. */
export async function* noEvents(): AsyncGenerator<never, void, undefined> {}
