import type { StringTable } from "./string-table.ts";

/** What an event did to a store. Whoever is told reads the new state from the store already. */
export type StoreChange<P extends NonNullable<unknown>> =
  | { readonly type: "Added"; readonly object: P }
  | { readonly type: "Updated"; readonly old: P; readonly object: P }
  | { readonly type: "Deleted"; readonly object: P }
  /** The first list is complete: all that is in the store is new. */
  | { readonly type: "Filled" }
  /** A later list took the place of what was known; `replacement` compares the two. */
  | { readonly type: "Replaced"; readonly before: StringTable<P>; readonly after: StringTable<P> };
