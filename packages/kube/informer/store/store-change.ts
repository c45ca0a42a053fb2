import type { Cached } from "../fields/fields.ts";
import type { StringTable } from "./string-table.ts";

/** What an event changed in a store. By the time it is reported the store shows the new state. */
export type StoreChange<P extends NonNullable<unknown>> =
  | { readonly type: "Added"; readonly object: P }
  | { readonly type: "Updated"; readonly old: P; readonly object: P }
  | { readonly type: "Deleted"; readonly object: P }
  /** The first list is complete: every object in the store is new. */
  | { readonly type: "Filled" }
  /** A later list replaced what was known; {@link diffLists} compares the two. */
  | { readonly type: "Replaced"; readonly before: StringTable<P>; readonly after: StringTable<P> };

/** What a new list means for one object; `old` is the object itself unless it changed. */
interface ListDifference<P> {
  readonly type: "gone" | "new" | "changed" | "unchanged";
  readonly old: P;
  readonly object: P;
}

/** Compares the known objects with a new list, one at a time: first those that are gone, then all others in the order of the list. */
export function* diffLists<P extends Cached>(before: StringTable<P>, after: StringTable<P>): Generator<ListDifference<P>> {
  for (const [key, object] of before) if (!after.has(key)) yield { type: "gone", old: object, object };
  for (const [key, object] of after) {
    const old = before.get(key);
    if (!old) yield { type: "new", old: object, object };
    else yield { type: isSame(old, object) ? "unchanged" : "changed", old, object };
  }
}

/** Whether both are the same version of the same object. */
export function isSame(a: Cached, b: Cached): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}
