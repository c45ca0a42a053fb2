import type { WatcherError } from "./watcher-error.ts";

/**
 * What a watcher tells, in order. A list begins with Init and ends with InitDone; what came before it holds until InitDone, and
 * whatever was not seen between the two is gone. Init may come again before InitDone: then the list has begun anew.
 */
export type WatcherEvent<P> =
  | { readonly type: "Init" }
  | { readonly type: "InitApply"; readonly object: P }
  | { readonly type: "InitDone"; readonly resourceVersion: string }
  /** Between Init and InitDone only Delete is possible: an object that was listed and went away while the list was streamed. */
  | { readonly type: "Apply"; readonly object: P }
  | { readonly type: "Delete"; readonly object: P }
  /** Nothing changed up to this version. */
  | { readonly type: "Bookmark"; readonly resourceVersion: string }
  /** A watch is open: what went wrong before is over. */
  | { readonly type: "Watching" }
  /** Something went wrong; the watcher goes on by itself. */
  | { readonly type: "Failed"; readonly error: WatcherError };
