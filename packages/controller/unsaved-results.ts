import type { Key } from "@csi-sidecars/kube";
import { failedAgain, type RepeatedFailure } from "./lasting-failure.ts";

interface Unsaved<R> {
  readonly result: R;
  readonly failure?: RepeatedFailure;
}

/**
 * What calls to the driver have come to and is yet to be written into objects, by their keys: so that a write that fails is
 * retried, and not the call.
 */
export class UnsavedResults<R> {
  readonly #results = new Map<Key, Unsaved<R>>();

  get size(): number {
    return this.#results.size;
  }

  set(key: Key, result: R): void {
    this.#results.set(key, { result });
  }

  get(key: Key): R | undefined {
    return this.#results.get(key)?.result;
  }

  delete(key: Key): void {
    this.#results.delete(key);
  }

  /** The result could not be saved. Returns how often and since when. */
  failed(key: Key, now: number): RepeatedFailure {
    const unsaved = this.#results.get(key);
    const failure = failedAgain(unsaved?.failure, now);
    if (unsaved) this.#results.set(key, { ...unsaved, failure });
    return failure;
  }
}
