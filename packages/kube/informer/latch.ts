/** Something that happens once or turns out to be impossible, and that many may wait for. */
export class Latch {
  readonly #settled = Promise.withResolvers<void>();
  #state: "closed" | "open" | "failed" = "closed";

  constructor() {
    this.#settled.promise.catch(() => undefined);
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  open(): void {
    if (this.#state !== "closed") return;
    this.#state = "open";
    this.#settled.resolve();
  }

  /** It will not happen any more: whoever waits is told why. */
  fail(reason: Error): void {
    if (this.#state !== "closed") return;
    this.#state = "failed";
    this.#settled.reject(reason);
  }

  /** Resolves when open; rejects when it cannot open any more or the signal aborts. */
  async wait(signal?: AbortSignal): Promise<void> {
    if (!signal) return this.#settled.promise;
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await Promise.race([this.#settled.promise, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }
}
