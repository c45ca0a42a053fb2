export type Collect = (how: "soon" | "thorough") => void;

/**
 * Does nothing outside of Bun. `thorough` collects at once, blocks for some milliseconds (about one per two megabytes of heap), and
 * returns memory to the system.
 */
export function collectGarbage(how: "soon" | "thorough"): void {
  if (typeof Bun !== "undefined") Bun.gc(how === "thorough");
}
