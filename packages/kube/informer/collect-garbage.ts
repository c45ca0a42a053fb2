/**
 * Asks the runtime to clean up, where it has a way to be asked: the only file of the informers that knows Bun. `thorough` is done at
 * once, holds everything up for some milliseconds (about one per two megabytes of heap), and gives memory back to the system.
 */
export function collectGarbage(how: "soon" | "thorough"): void {
  if (typeof Bun !== "undefined") Bun.gc(how === "thorough");
}
