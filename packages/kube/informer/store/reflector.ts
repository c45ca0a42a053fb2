import type { Cached } from "../fields/fields.ts";
import type { WatcherEvent } from "../watcher/watcher-event.ts";
import type { Store } from "./store.ts";
import type { StoreChange } from "./store-change.ts";

/** A change of the store, or whether the watcher works. */
export type ReflectorEvent<P extends Cached> = StoreChange<P> | Extract<WatcherEvent<P>, { readonly type: "Watching" | "Failed" }>;

/**
 * Applies a watcher's events to a store and yields each change, once the store shows it.
 *
 * ```ts
 * for await (const change of reflect(store, watcher(options))) console.log(change.type);
 * ```
 */
export async function* reflect<P extends Cached>(
  store: Store<P>,
  events: AsyncIterable<WatcherEvent<P>>,
): AsyncGenerator<ReflectorEvent<P>, void, undefined> {
  for await (const event of events) {
    if (event.type === "Watching" || event.type === "Failed") {
      yield event;
    } else {
      const change = store.apply(event);
      if (change) yield change;
    }
  }
}
