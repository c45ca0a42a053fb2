/** Sums by key, kept while parts come and go, so that nobody has to add up everything. */
export class Tally {
  readonly #sums = new Map<string, bigint>();

  of(key: string): bigint {
    return this.#sums.get(key) ?? 0n;
  }

  add(key: string, amount: bigint): void {
    const sum = this.of(key) + amount;
    if (sum === 0n) this.#sums.delete(key);
    else this.#sums.set(key, sum);
  }
}
