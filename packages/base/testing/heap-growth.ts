import { heapStats } from "bun:jsc";

/** By how many bytes the heap has grown with what `make` returns; what it left behind is collected before. */
export function heapGrowth(make: () => unknown): number {
  const before = heapBytes();
  const kept = make();
  const growth = heapBytes() - before;
  return kept === undefined ? Number.NaN : growth;
}

function heapBytes(): number {
  Bun.gc(true);
  return heapStats().heapSize;
}
