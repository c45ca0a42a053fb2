import { refuse } from "./refuse.ts";

/** What a second call for the same volume or snapshot meets: it waits, or it is told ABORTED. */
export type PendingPolicy = "wait" | "aborted";

/** What a call works on; `shared` calls only read and may work side by side. */
export interface Claim {
  readonly key: string;
  readonly shared?: boolean;
}

interface Holders {
  shared: number;
  exclusive: boolean;
  readonly queue: { readonly shared: boolean; readonly enter: () => void }[];
}

/** Lets only one call at a time change what a key names. Calls wait in the order of their coming. */
export class Locks {
  policy: PendingPolicy = "wait";
  readonly #held = new Map<string, Holders>();

  async run<T>(claims: readonly Claim[], work: () => Promise<T>): Promise<T> {
    // The same order everywhere: two calls can never wait for each other.
    const ordered = [...new Map(claims.map((claim) => [claim.key, claim])).values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    const taken: Claim[] = [];
    try {
      for (const claim of ordered) {
        await this.#enter(claim);
        taken.push(claim);
      }
      return await work();
    } finally {
      for (const claim of taken) this.#leave(claim);
    }
  }

  async #enter({ key, shared = false }: Claim): Promise<void> {
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

  #leave({ key, shared = false }: Claim): void {
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

/** What the operations on volumes and snapshots hold. Names are held by those who create or remove what they name. */
export const volumeLock = (id: string, shared = false): Claim => ({ key: `volume ${id}`, shared });
export const volumeNameLock = (name: string): Claim => ({ key: `volume name ${name}` });
export const snapshotLock = (id: string, shared = false): Claim => ({ key: `snapshot ${id}`, shared });
export const snapshotNameLock = (name: string): Claim => ({ key: `snapshot name ${name}` });
export const groupLock = (id: string): Claim => ({ key: `group snapshot ${id}` });
export const groupNameLock = (name: string): Claim => ({ key: `group snapshot name ${name}` });
