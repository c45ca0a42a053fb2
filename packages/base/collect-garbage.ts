export type Collect = (how: "soon" | "thorough" | "with code") => void;

/**
 * Does nothing outside of Bun. `thorough` collects at once, blocks for some milliseconds (about one per two megabytes of heap), and
 * returns memory to the system. `with code` does that too, and drops what is compiled: whatever runs next is compiled again.
 */
export function collectGarbage(how: "soon" | "thorough" | "with code"): void {
  if (typeof Bun === "undefined") return;
  if (how === "with code") Bun.shrink();
  else Bun.gc(how === "thorough");
}
