import { refuse } from "./refuse.ts";

/** What happens to a second call for the same volume or snapshot: it waits, or fails with ABORTED. */
export type PendingPolicy = "wait" | "aborted";

/** A lock that a call needs; `shared` locks are for reading and may be held together. */
export interface LockRequest {
  readonly key: string;
  readonly shared?: boolean;
}

interface Holders {
  shared: number;
  exclusive: boolean;
  readonly queue: { readonly shared: boolean; readonly enter: () => void }[];
}

/** Locks by key: one exclusive or several shared holders, first come, first served. */
export class Locks {
  policy: PendingPolicy = "wait";
  readonly #held = new Map<string, Holders>();

  async run<T>(locks: readonly LockRequest[], work: () => Promise<T>): Promise<T> {
    // Always in the same order: no deadlock.
    const ordered = [...new Map(locks.map((lock) => [lock.key, lock])).values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    const taken: LockRequest[] = [];
    try {
      for (const lock of ordered) {
        await this.#enter(lock);
        taken.push(lock);
      }
      return await work();
    } finally {
      for (const lock of taken) this.#leave(lock);
    }
  }

  async #enter({ key, shared = false }: LockRequest): Promise<void> {
    const holders = this.#held.get(key);
    if (!holders) {
      this.#held.set(key, { shared: shared ? 1 : 0, exclusive: !shared, queue: [] });
      return;
    }
    if (shared && !holders.exclusive && holders.queue.length === 0) {
      holders.shared++;
      return;
    }
    if (this.policy === "aborted") refuse("Aborted", `an operation is already in progress for ${key}`);
    await new Promise<void>((enter) => holders.queue.push({ shared, enter }));
  }

  #leave({ key, shared = false }: LockRequest): void {
    const holders = this.#held.get(key);
    if (!holders) return;
    if (shared) holders.shared--;
    else holders.exclusive = false;
    if (holders.shared > 0) return;
    if (holders.queue.length === 0) {
      this.#held.delete(key);
      return;
    }
    do {
      const next = holders.queue.shift();
      if (!next) return;
      if (next.shared) holders.shared++;
      else holders.exclusive = true;
      next.enter();
    } while (!holders.exclusive && holders.queue[0]?.shared);
  }
}

/** The locks of volumes and snapshots. A name is locked while something of that name is created or removed. */
export const volumeLock = (id: string, shared = false): LockRequest => ({ key: `volume ${id}`, shared });
export const volumeNameLock = (name: string): LockRequest => ({ key: `volume name ${name}` });
export const snapshotLock = (id: string, shared = false): LockRequest => ({ key: `snapshot ${id}`, shared });
export const snapshotNameLock = (name: string): LockRequest => ({ key: `snapshot name ${name}` });
export const groupLock = (id: string): LockRequest => ({ key: `group snapshot ${id}` });
export const groupNameLock = (name: string): LockRequest => ({ key: `group snapshot name ${name}` });
