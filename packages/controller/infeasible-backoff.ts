import type { Clock } from "@csi-sidecars/base";
import type { Key } from "@csi-sidecars/kube";

interface Entry {
  readonly since: number;
  readonly request: string | undefined;
}

/**
 * Keys whose request the driver refused for good: the same request is not sent again before `delayMs` (`--retry-interval-max`) has
 * passed, however often the key comes up. csi-lib-utils calls it SlowSet.
 *
 * ```ts
 * const delayMs = infeasible.remaining(uid, storageClass.metadata.uid);
 * if (delayMs !== undefined) return requeueAfter(delayMs);
 * ```
 */
export class InfeasibleBackoff<K extends NonNullable<unknown> = Key> {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #entries = new Map<K, Entry>();
  readonly delayMs: number;

  constructor(delayMs: number, clock: Pick<Clock, "monotonic">) {
    this.delayMs = delayMs;
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Starts the key's delay; one that runs is not extended. `request` identifies what was refused, where another request may follow. */
  add(key: K, request?: string): void {
    if (!this.#entries.has(key)) this.#entries.set(key, { since: this.#clock.monotonic(), request });
  }

  /** Milliseconds until the key may be retried; `undefined` when it may be now. Another request than the refused one ends the delay. */
  remaining(key: K, request?: string): number | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const left = entry.since + this.delayMs - this.#clock.monotonic();
    if (left > 0 && (request === undefined || request === entry.request)) return left;
    this.#entries.delete(key);
    return undefined;
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }
}
