import { type Clock, systemClock } from "@csi-sidecars/base";
import { stoppedCall, withinDeadline } from "./call-deadline.ts";
import type { CallOptions } from "./call-options.ts";
import type { OperationOptions } from "./powershell/executor.ts";
import { Slots } from "./slots.ts";

/**
 * Keeps two calls from changing the same disk, volume, share, portal or service at the same time. Keys are `disk:3`, `volume:<id>`,
 * `smb:<root>`, `iscsi:<address>:<port>` and `service:<name>`. Each call takes one key, before any PowerShell slot, so that calls that
 * wait for each other leave the slots to others.
 *
 * ```ts
 * return locks.run(`volume:${volumeId}`, options, (options) => runMethod(executor, "volume.format", { volumeID: volumeId }, format, options));
 * ```
 */
export class KeyedLocks {
  readonly #clock: Clock;
  readonly #locks = new Map<string, Slots>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /**
   * Does the work while it holds the key. The work must hand on the options that it gets: they carry what is left of the call's time,
   * and the lock learns through them of an operation that outlives its call. The key stays locked until that has ended.
   */
  run<T>(key: string, options: CallOptions | undefined, work: (options: OperationOptions) => Promise<T>): Promise<T> {
    return withinDeadline(options ?? {}, this.#clock, async (signal) => {
      const unlock = await this.#lock(key, signal);
      const abandoned: Promise<void>[] = [];
      try {
        return await work({ ...(signal && { signal }), onAbandoned: (ended) => abandoned.push(ended) });
      } finally {
        if (abandoned.length === 0) unlock();
        else void Promise.allSettled(abandoned).then(unlock);
      }
    });
  }

  /** How many keys are locked: a key that nobody uses is forgotten. */
  get size(): number {
    return this.#locks.size;
  }

  async #lock(key: string, signal: AbortSignal | undefined): Promise<() => void> {
    if (signal?.aborted) throw stoppedCall(`waiting for ${key}`, signal.reason);
    const lock = this.#locks.get(key) ?? new Slots(1);
    this.#locks.set(key, lock);
    const release = await lock.take(signal).catch((reason) => {
      throw stoppedCall(`waiting for ${key}`, reason);
    });
    return () => {
      if (lock.uncontended) this.#locks.delete(key);
      release();
    };
  }
}
