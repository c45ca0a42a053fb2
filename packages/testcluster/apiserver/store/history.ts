import type { Revision } from "./revision.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** One step of a table's history. A removal has no `current`, a creation no `previous`. */
export interface Change {
  readonly version: number;
  readonly key: string;
  readonly previous: Revision | undefined;
  readonly current: Revision | undefined;
  /** Bytes of this change as watch events, shared by all watchers; filled by the first one. */
  readonly encoded: Map<string, Uint8Array>;
}

/**
 * The event of a change for a watcher of a selection: an object that begins to match is ADDED, one that no longer matches is DELETED.
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

/** The recent changes of one table, oldest first. What falls out of the window can no longer be watched or listed exactly. */
export class History {
  #changes: Change[] = [];
  #first = 0;
  #floor: number;
  readonly #window: number;

  constructor(window: number, floor: number) {
    this.#window = window;
    this.#floor = floor;
  }

  /** The oldest version since which all changes are known. */
  get floor(): number {
    return this.#floor;
  }

  add(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length - this.#first <= this.#window) return;
    this.#floor = this.#changes[this.#first]?.version ?? this.#floor;
    this.#first++;
    if (this.#first >= this.#window) {
      this.#changes = this.#changes.slice(this.#first);
      this.#first = 0;
    }
  }

  /** All changes after `version`; only meaningful from {@link floor} on. */
  since(version: number): readonly Change[] {
    let low = this.#first;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.version ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    return this.#changes.slice(low);
  }

  /** Forgets everything up to `version`. */
  compact(version: number): void {
    this.#changes = [...this.since(version)];
    this.#first = 0;
    this.#floor = Math.max(this.#floor, version);
  }
}
