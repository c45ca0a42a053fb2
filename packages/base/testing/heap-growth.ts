import { createRequire } from "node:module";

/** By how many bytes the heap has grown with what `make` returns; what it left behind is collected before. */
export function heapGrowth(make: () => unknown): number {
  const before = heapBytes();
  const kept = make();
  const growth = heapBytes() - before;
  return kept === undefined ? Number.NaN : growth;
}

function heapBytes(): number {
  // Asked for when it is needed: tests on Node use the other helpers.
  const { heapStats }: typeof import("bun:jsc") = createRequire(import.meta.url)("bun:jsc");
  Bun.gc(true);
  return heapStats().heapSize;
}
