import type { Revision } from "./revision.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** One step of a table's history. A removal has no `current`, a creation no `previous`. */
export interface Change {
  readonly version: number;
  readonly key: string;
  readonly previous: Revision | undefined;
  readonly current: Revision | undefined;
  /** Bytes of this change as watch events, shared by all watchers; filled by whoever encodes first. */
  readonly encoded: Map<string, Uint8Array>;
}

/**
 * What a watcher that sees a selection is told of a change: an object that begins to match is ADDED, one that no longer matches
 * is DELETED.
 */
export function eventType(change: Change, matches: (revision: Revision) => boolean): EventType | undefined {
  const before = change.previous !== undefined && matches(change.previous);
  if (change.current && matches(change.current)) return before ? "MODIFIED" : "ADDED";
  return before ? "DELETED" : undefined;
}

/** The object of that event; DELETED carries the last object that matched, at the version of the change. */
export function eventRevision(change: Change, type: EventType): Revision | undefined {
  return type === "DELETED" ? change.previous?.at(change.version) : change.current;
}
