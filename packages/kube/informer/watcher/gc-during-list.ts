const objectsBetweenCollections = 1_000;

type Collect = (how: "soon" | "thorough") => void;

/**
 * Runs the garbage collector while a list streams in. Parsing leaves behind many times what is cached, and a runtime that grows its
 * heap to hold that never shrinks it again, because cached objects and garbage share its blocks. Lists of a few hundred objects do
 * not trigger it.
 */
export class GcDuringList {
  readonly #collect: Collect;
  #objects = 0;

  constructor(collect: Collect = collectGarbage) {
    this.#collect = collect;
  }

  objectProjected(): void {
    if (++this.#objects % objectsBetweenCollections === 0) this.#collect("soon");
  }

  listDone(): void {
    if (this.#objects >= objectsBetweenCollections) this.#collect("thorough");
    this.#objects = 0;
  }
}

/**
 * The only runtime-specific call of the informers; does nothing outside of Bun. `thorough` collects at once, blocks for some
 * milliseconds (about one per two megabytes of heap), and returns memory to the system.
 */
function collectGarbage(how: "soon" | "thorough"): void {
  if (typeof Bun !== "undefined") Bun.gc(how === "thorough");
}
