/** Something that completes once or fails for good, and that many callers may wait for: a list, a handler's initial sync. */
export class Completion {
  readonly #settled = Promise.withResolvers<void>();
  #state: "pending" | "complete" | "failed" = "pending";

  constructor() {
    this.#settled.promise.catch(() => undefined);
  }

  get isComplete(): boolean {
    return this.#state === "complete";
  }

  complete(): void {
    if (this.#state !== "pending") return;
    this.#state = "complete";
    this.#settled.resolve();
  }

  /** It will never complete: every `wait` rejects with the reason. */
  fail(reason: Error): void {
    if (this.#state !== "pending") return;
    this.#state = "failed";
    this.#settled.reject(reason);
  }

  /** Resolves on completion; rejects when it fails or the signal aborts. */
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
