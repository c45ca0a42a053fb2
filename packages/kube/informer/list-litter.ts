const objectsBetweenCollections = 1_000;

type Collect = (how: "soon" | "thorough") => void;

/**
 * What parsing leaves behind while a list streams in is many times what is kept of it, and a runtime that grows its heap to hold that
 * never shrinks it again: kept and thrown away lie side by side. So it is asked to clean up every so often; lists of a few hundred
 * objects do not bother it.
 */
export class ListLitter {
  readonly #collect: Collect;
  #objects = 0;

  constructor(collect: Collect) {
    this.#collect = collect;
  }

  /** One more object was projected. */
  objectKept(): void {
    if (++this.#objects % objectsBetweenCollections === 0) this.#collect("soon");
  }

  listDone(): void {
    if (this.#objects >= objectsBetweenCollections) this.#collect("thorough");
    this.#objects = 0;
  }
}
