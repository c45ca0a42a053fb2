const maxMisses = 512;
/** A field whose values came up less often than this, on average, does not repeat: a uid, a name. */
const worthwhileUses = 4;

/**
 * Interns the values of one field (phases, class names, access modes), so that equal ones share memory. It learns whether the
 * field repeats: a pool that fills up without hits is closed for good; one that fills up slowly, as names come and go over
 * months, starts over. So it never holds more than a few hundred values.
 */
export class InternPool<V> {
  #known: Map<string, V> | undefined;
  #hits = 0;
  #misses = 0;
  #open = true;

  /** False once the values of this field have proved to differ: callers need not compute keys any more. */
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

  /** A value that is too big to intern: counts as one that does not repeat. */
  miss(): void {
    if (++this.#misses <= maxMisses) return;
    this.#open = this.#hits >= worthwhileUses * maxMisses;
    this.#known = undefined;
    this.#hits = 0;
    this.#misses = 0;
  }
}
