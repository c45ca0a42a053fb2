interface Place {
  holder: string;
  /** In the order of their coming. */
  readonly waiting: Map<string, () => void>;
}

/**
 * Places where only one may be at a time. Who finds a place taken does not wait there, holding a worker: it goes home and is
 * called when its turn has come.
 */
export class Turns {
  readonly #places = new Map<string, Place>();
  readonly #held = new Map<string, Set<string>>();
  readonly #waits = new Map<string, Set<string>>();

  /** Whether `who` has the place now. If not, `call` is called when it is kept for `who`. */
  enter(place: string, who: string, call: () => void): boolean {
    const taken = this.#places.get(place);
    if (!taken) {
      this.#places.set(place, { holder: who, waiting: new Map() });
      addTo(this.#held, who, place);
      return true;
    }
    if (taken.holder === who) return true;
    taken.waiting.set(who, call);
    addTo(this.#waits, who, place);
    return false;
  }

  isWaiting(who: string): boolean {
    return this.#waits.has(who);
  }

  /** Gives up every place that `who` has, or that is kept for it. */
  leave(who: string): void {
    const held = this.#held.get(who);
    this.#held.delete(who);
    for (const place of held ?? []) this.#passOn(place);
  }

  /** How many places are taken. */
  get taken(): number {
    return this.#places.size;
  }

  #passOn(place: string): void {
    const taken = this.#places.get(place);
    const next = taken?.waiting.entries().next().value;
    if (!taken || !next) {
      this.#places.delete(place);
      return;
    }
    const [who, call] = next;
    taken.waiting.delete(who);
    removeFrom(this.#waits, who, place);
    taken.holder = who;
    addTo(this.#held, who, place);
    call();
  }
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key);
  if (known) known.add(value);
  else sets.set(key, new Set([value]));
}

function removeFrom(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key);
  known?.delete(value);
  if (known?.size === 0) sets.delete(key);
}
