import type { Cached } from "./fields.ts";
import type { Store } from "./store.ts";
import type { StoreChange } from "./store-change.ts";
import type { WatcherEvent } from "./watcher-event.ts";

/** What became different in the store, and how the watcher fares. */
export type ReflectorEvent<P extends Cached> = StoreChange<P> | Extract<WatcherEvent<P>, { readonly type: "Watching" | "Failed" }>;

/**
 * Keeps a store equal to the cluster and passes on what became different, after the store knows it.
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
