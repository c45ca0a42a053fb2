/** Records by id and by name, and their ids in order. */
export class RecordIndex<R extends { readonly id: string; readonly name: string }> {
  readonly #byId = new Map<string, R>();
  readonly #byName = new Map<string, R>();
  #sorted: readonly string[] | undefined;

  get(id: string): R | undefined {
    return this.#byId.get(id);
  }

  named(name: string): R | undefined {
    return this.#byName.get(name);
  }

  values(): Iterable<R> {
    return this.#byId.values();
  }

  get size(): number {
    return this.#byId.size;
  }

  /** All ids in ascending order; the same array until one comes or goes. */
  ids(): readonly string[] {
    this.#sorted ??= Array.from(this.#byId.keys()).sort();
    return this.#sorted;
  }

  put(record: R): R | undefined {
    const before = this.#byId.get(record.id);
    if (!before) this.#sorted = undefined;
    else if (before.name !== record.name) this.#byName.delete(before.name);
    this.#byId.set(record.id, record);
    this.#byName.set(record.name, record);
    return before;
  }

  remove(id: string): R | undefined {
    const before = this.#byId.get(id);
    if (!before) return undefined;
    this.#byId.delete(id);
    if (this.#byName.get(before.name)?.id === id) this.#byName.delete(before.name);
    this.#sorted = undefined;
    return before;
  }
}

/** Running totals by key, so that no call has to add up all records. */
export class Totals {
  readonly #sums = new Map<string, bigint>();

  get(key: string): bigint {
    return this.#sums.get(key) ?? 0n;
  }

  add(key: string, amount: bigint): void {
    const sum = this.get(key) + amount;
    if (sum === 0n) this.#sums.delete(key);
    else this.#sums.set(key, sum);
  }
}
