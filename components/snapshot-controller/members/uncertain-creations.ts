import { ignoreNotFound, type Key, StatusError } from "@csi-sidecars/kube";

/**
 * Objects that may have been created although the answer was lost, and that the watch may not show yet. Whoever deletes the group that they belong to
 * has to look for them, or they are left behind.
 */
export class UncertainCreations {
  readonly #keys = new Set<Key>();

  /** Sends a creation. The key is remembered unless the server says what became of it. */
  async create<T>(key: Key, send: () => Promise<T>): Promise<T> {
    this.#keys.add(key);
    try {
      const created = await send();
      this.#keys.delete(key);
      return created;
    } catch (error) {
      if (isRefusal(error)) this.#keys.delete(key);
      throw error;
    }
  }

  /** What is cached, or else what the server has, where that is in doubt. */
  async find<T>(key: Key, cached: T | undefined, read: () => Promise<T>): Promise<T | undefined> {
    if (cached || !this.#keys.has(key)) return cached;
    const found = await ignoreNotFound(read());
    if (!found) this.#keys.delete(key);
    return found;
  }
}

/** Whether nothing was created: the server understood the request and said no. */
function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && (error.status.code ?? 500) < 500;
}
