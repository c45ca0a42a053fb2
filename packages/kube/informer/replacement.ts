import type { Cached } from "./fields.ts";
import { isSame } from "./store.ts";
import type { StringTable } from "./string-table.ts";

/** What a new list means for one object; `old` is the object itself where there is no other. */
export interface ReplacementStep<P> {
  readonly type: "gone" | "new" | "changed" | "unchanged";
  readonly old: P;
  readonly object: P;
}

/** Compares what was known with a new list, one object at a time: first what vanished, then everything in the order of the list. */
export function* replacement<P extends Cached>(before: StringTable<P>, after: StringTable<P>): Generator<ReplacementStep<P>> {
  for (const [key, object] of before) if (!after.has(key)) yield { type: "gone", old: object, object };
  for (const [key, object] of after) {
    const old = before.get(key);
    if (!old) yield { type: "new", old: object, object };
    else yield { type: isSame(old, object) ? "unchanged" : "changed", old, object };
  }
}
