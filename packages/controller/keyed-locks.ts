interface Lock {
  holder: string;
  /** In order of arrival. */
  readonly waiting: Map<string, () => void>;
}

/**
 * Named locks for workers that must not block: an owner that finds a lock taken gives its worker back, and is called when the lock is
 * its own. Used to keep calls about one volume, which two controllers may want to make, apart.
 *
 * ```ts
 * if (!locks.tryAcquire(`volume/${id}`, owner, () => queue.add(key))) return blocked;
 * ```
 */
export class KeyedTryLock {
  readonly #locks = new Map<string, Lock>();
  readonly #held = new Map<string, Set<string>>();

  /** Whether `owner` holds the lock now. If not, `onAcquired` is called once it does. */
  tryAcquire(name: string, owner: string, onAcquired: () => void): boolean {
    const lock = this.#locks.get(name);
    if (!lock) {
      this.#locks.set(name, { holder: owner, waiting: new Map() });
      addTo(this.#held, owner, name);
      return true;
    }
    if (lock.holder === owner) return true;
    lock.waiting.set(owner, onAcquired);
    return false;
  }

  /** Releases every lock that `owner` holds. */
  release(owner: string): void {
    const held = this.#held.get(owner);
    this.#held.delete(owner);
    for (const name of held ?? []) this.#passOn(name);
  }

  /** How many locks are held. */
  get size(): number {
    return this.#locks.size;
  }

  #passOn(name: string): void {
    const lock = this.#locks.get(name);
    const next = lock?.waiting.entries().next().value;
    if (!lock || !next) {
      this.#locks.delete(name);
      return;
    }
    const [owner, onAcquired] = next;
    lock.waiting.delete(owner);
    lock.holder = owner;
    addTo(this.#held, owner, name);
    onAcquired();
  }
}

/** Runs the work for one key one after the other, in order of arrival; later arrivals wait. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }

  /** How many keys are worked on. */
  get size(): number {
    return this.#last.size;
  }
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key);
  if (known) known.add(value);
  else sets.set(key, new Set([value]));
}
