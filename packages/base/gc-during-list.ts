import { type Collect, collectGarbage } from "./collect-garbage.ts";

const objectsBetweenCollections = 1_000;

/**
 * Runs the garbage collector while a list is read, of the API server or of the driver. Reading leaves behind many times what is kept,
 * and a runtime that grows its heap to hold that never shrinks it again, because kept objects and garbage share its blocks. Lists of a
 * few hundred objects do not trigger it.
 */
export class GcDuringList {
  readonly #collect: Collect;
  #objects = 0;

  constructor(collect: Collect = collectGarbage) {
    this.#collect = collect;
  }

  /** So many objects more were read. */
  objectsRead(count: number): void {
    const before = this.#objects;
    this.#objects += count;
    if (collectionsDue(this.#objects) > collectionsDue(before)) this.#collect("soon");
  }

  listDone(): void {
    if (collectionsDue(this.#objects) > 0) this.#collect("thorough");
    this.#objects = 0;
  }
}

const collectionsDue = (objects: number): number => Math.floor(objects / objectsBetweenCollections);
