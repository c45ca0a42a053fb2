import type { Key } from "@csi-sidecars/kube";

/** Which objects wait for a class, to be looked at when one of that name is created. */
export class WaitingForClass {
  readonly #classes = new Map<Key, string>();
  readonly #keys = new Map<string, Set<Key>>();

  /** How many wait. */
  get size(): number {
    return this.#classes.size;
  }

  add(key: Key, className: string): void {
    this.delete(key);
    this.#classes.set(key, className);
    const keys = this.#keys.get(className);
    if (keys) keys.add(key);
    else this.#keys.set(className, new Set([key]));
  }

  delete(key: Key): void {
    const className = this.#classes.get(key);
    if (className === undefined) return;
    this.#classes.delete(key);
    const keys = this.#keys.get(className);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(className);
  }

  waitingFor(className: string): Iterable<Key> {
    return this.#keys.get(className) ?? [];
  }
}
