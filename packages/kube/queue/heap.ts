/** A binary heap: the smallest element, by the given order, is always first. */
export class Heap<T> {
  readonly #compare: (a: T, b: T) => number;
  #items: T[] = [];

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let hole = items.length;
    items.push(item);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = items[parent] as T;
      if (this.#compare(above, item) <= 0) break;
      items[hole] = above;
      hole = parent;
    }
    items[hole] = item;
  }

  /** Removes and returns the smallest element. */
  shift(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.#sink(last);
    return first;
  }

  clear(): void {
    this.#items = [];
  }

  #sink(item: T): void {
    const items = this.#items;
    let hole = 0;
    for (let child = 1; child < items.length; child = 2 * hole + 1) {
      if (child + 1 < items.length && this.#compare(items[child + 1] as T, items[child] as T) < 0) child++;
      const below = items[child] as T;
      if (this.#compare(item, below) <= 0) break;
      items[hole] = below;
      hole = child;
    }
    items[hole] = item;
  }
}
