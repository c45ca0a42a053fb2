const maxMisses = 512;
/** A field whose values came up less often than this, on average, does not repeat itself: a uid, a name. */
const worthwhileUses = 4;

/**
 * Lets equal values of one field (phases, class names, access modes) be one value in memory. It learns by itself whether the
 * field repeats: when it fills up without being used it is given up for good; when it fills up slowly, as names come and go over
 * months, it starts over. So it never holds more than a few hundred values.
 */
export class ValuePool<V> {
  #known: Map<string, V> | undefined;
  #hits = 0;
  #misses = 0;
  #open = true;

  /** False once the values of this field have proved to differ: callers may skip making keys. */
  get open(): boolean {
    return this.#open;
  }

  /** The value first seen under this key. */
  get(key: string): V | undefined {
    const value = this.#known?.get(key);
    if (value !== undefined) this.#hits++;
    return value;
  }

  put(key: string, value: V): V {
    this.miss();
    if (this.#open) {
      this.#known ??= new Map();
      this.#known.set(key, value);
    }
    return value;
  }

  /** A value that is too big to be kept here: it speaks against the field as one that differs does. */
  miss(): void {
    if (++this.#misses <= maxMisses) return;
    this.#open = this.#hits >= worthwhileUses * maxMisses;
    this.#known = undefined;
    this.#hits = 0;
    this.#misses = 0;
  }
}
