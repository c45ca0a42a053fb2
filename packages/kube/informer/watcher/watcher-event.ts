import { messageOf } from "@csi-sidecars/base";
import { groupResourceOf, type Resource } from "../../resource.ts";

/**
 * What a watcher yields, in order. A list starts with Init and ends with InitDone; the state before it is valid until InitDone,
 * and whatever was not listed between the two no longer exists. Init before InitDone means that the list has started over.
 */
export type WatcherEvent<P> =
  | { readonly type: "Init" }
  | { readonly type: "InitApply"; readonly object: P }
  | { readonly type: "InitDone"; readonly resourceVersion: string }
  /** Between Init and InitDone only Delete is possible: an object that was listed and deleted while the list was streamed. */
  | { readonly type: "Apply"; readonly object: P }
  | { readonly type: "Delete"; readonly object: P }
  /** Nothing changed up to this version. */
  | { readonly type: "Bookmark"; readonly resourceVersion: string }
  /** A watch is open: earlier failures are over. */
  | { readonly type: "Watching" }
  /** A step failed; the watcher recovers by itself. */
  | { readonly type: "Failed"; readonly error: WatcherError };

export type WatcherStep = "list" | "list page" | "open watch" | "initial events" | "watch";

/** Which step of a watcher failed, for which kind, and why. */
export class WatcherError extends Error {
  override readonly name = "WatcherError";
  readonly step: WatcherStep;
  readonly resource: string;

  constructor(step: WatcherStep, resource: Resource, cause: unknown) {
    const resourceName = groupResourceOf(resource);
    super(`${step} of ${resourceName}: ${messageOf(cause)}`, { cause });
    this.step = step;
    this.resource = resourceName;
  }
}
