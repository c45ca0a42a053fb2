const maxDistinct = 512;
/** A path whose values came up less often than this, on average, before the pool was full does not repeat itself: a uid, a name. */
const worthwhileUses = 4;

/**
 * Lets equal values of one field (phases, class names, access modes) be one value in memory. It learns by itself whether the
 * field repeats: when the pool fills up without being used, it is given up for good; when it fills up slowly, as names come and
 * go over months, it starts over. So it never holds more than a few hundred values.
 */
export class ValuePool<V> {
  #known: Map<string, V> | undefined;
  #hits = 0;
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
    if (!this.#open) return value;
    this.#known ??= new Map();
    if (this.#known.size < maxDistinct) {
      this.#known.set(key, value);
    } else if (this.#hits < worthwhileUses * maxDistinct) {
      this.close();
    } else {
      this.#known = undefined;
      this.#hits = 0;
    }
    return value;
  }

  /** Gives up sharing: from now on every value stands for itself. */
  close(): void {
    this.#open = false;
    this.#known = undefined;
  }
}
