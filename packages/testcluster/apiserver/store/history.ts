import type { Change } from "./change.ts";

/** The recent changes of one table, oldest first. What falls out of the window can no longer be watched or listed exactly. */
export class History {
  #changes: Change[] = [];
  #first = 0;
  #floor: number;
  readonly #window: number;

  constructor(window: number, floor: number) {
    this.#window = window;
    this.#floor = floor;
  }

  /** The oldest version from which everything that followed is still known. */
  get floor(): number {
    return this.#floor;
  }

  add(change: Change): void {
    this.#changes.push(change);
    if (this.#changes.length - this.#first <= this.#window) return;
    this.#floor = this.#changes[this.#first]?.version ?? this.#floor;
    this.#first++;
    if (this.#first >= this.#window) {
      this.#changes = this.#changes.slice(this.#first);
      this.#first = 0;
    }
  }

  /** All changes after `version`; only meaningful from {@link floor} on. */
  since(version: number): readonly Change[] {
    let low = this.#first;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#changes[middle]?.version ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    return this.#changes.slice(low);
  }

  /** Forgets everything up to `version`. */
  compact(version: number): void {
    this.#changes = [...this.since(version)];
    this.#first = 0;
    this.#floor = Math.max(this.#floor, version);
  }
}
