import { type Collect, collectGarbage } from "./collect-garbage.ts";

/** Lists of fewer objects leave too little behind. */
const worthCollecting = 1_000;

/**
 * Runs the garbage collector when a list was read, of the API server or of the driver. Reading leaves behind many times what is kept, and
 * the runtime would let its heap double before it looks. The GarbageMeter collects meanwhile, each time what was read has been worked
 * off; in the middle of a page or chunk all of that would count as kept.
 */
export class GcAfterList {
  readonly #collect: Collect;
  #objects = 0;

  constructor(collect: Collect = collectGarbage) {
    this.#collect = collect;
  }

  /** So many objects more were read. */
  objectsRead(count: number): void {
    this.#objects += count;
  }

  /** To be called when the list has taken the place of what it replaces, which is garbage too. */
  listDone(): void {
    if (this.#objects >= worthCollecting) this.#collect("thorough");
    this.#objects = 0;
  }
}
