import { deferred } from "@csi-sidecars/base";
/** Whether the driver can be called at the moment: for those who would rather wait for one that is away than fail. */
export interface Availability {
  readonly available: boolean;
  /** Calls the listener whenever that changes; returns how to stop it. */
  subscribe(listener: (available: boolean) => void): () => void;
}

/** The availability of what never goes away. */
export const alwaysAvailable: Availability = { available: true, subscribe: () => () => {} };

/** An availability that its owner decides on. */
export class ChangingAvailability implements Availability {
  readonly #listeners = new Set<(available: boolean) => void>();
  #available = false;

  get available(): boolean {
    return this.#available;
  }

  subscribe(listener: (available: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(available: boolean): void {
    if (this.#available === available) return;
    this.#available = available;
    for (const listener of [...this.#listeners]) listener(available);
  }
}

/** Waits for a driver that is away, or for the signal: a call would wait for it too, and fail when its time is over. */
export async function untilAvailable(availability: Availability, signal: AbortSignal): Promise<void> {
  if (availability.available || signal.aborted) return;
  const { promise, resolve } = deferred<void>();
  const wake = () => resolve();
  const unsubscribe = availability.subscribe(wake);
  signal.addEventListener("abort", wake, { once: true });
  await promise;
  signal.removeEventListener("abort", wake);
  unsubscribe();
}
