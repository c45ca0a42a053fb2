import { seededRandom } from "@csi-sidecars/base/testing";

/** Numbers at which lengths, counters and limits go wrong. */
const boundaries = [
  0,
  1,
  2,
  127,
  128,
  255,
  256,
  16_383,
  16_384,
  65_535,
  65_536,
  2 ** 24,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 53,
];

/** Random choices that a seed repeats. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.below(items.length)] ?? items[0];
  }

  /** Mostly a small number, at times one beyond a limit that code may have. */
  number(): number {
    if (this.chance(0.6)) return this.below(40);
    return Math.max(0, (boundaries[this.below(boundaries.length)] ?? 0) + this.below(3) - 1);
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }

  /** From 0 to `most` results of `make`. */
  several<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }
}
