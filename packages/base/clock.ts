/** A pending call made with {@link Clock.after}. */
export interface Timer {
  cancel(): void;
}

/**
 * Where all time comes from. Code that waits or measures takes a `Clock`, so that tests drive it by hand
 * and no test ever sleeps.
 */
export interface Clock {
  /** Wall time in milliseconds since the epoch: for what is written down (events, leases, logs). */
  now(): number;
  /** Monotonic milliseconds with fractions: for every comparison of durations and deadlines. */
  monotonic(): number;
  /** Calls `fn` once, `ms` from now. A delay longer than a timer can hold is waited for in pieces. */
  after(ms: number, fn: () => void): Timer;
  /** Resolves `ms` from now; rejects with the signal's reason as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fn) {
    const due = performance.now() + ms;
    let handle: ReturnType<typeof setTimeout>;
    const arm = (rest: number) => {
      handle = rest > longestTimer ? setTimeout(() => arm(due - performance.now()), longestTimer) : setTimeout(fn, Math.max(0, rest));
    };
    arm(ms);
    return { cancel: () => clearTimeout(handle) };
  },
  sleep(ms, signal) {
    return sleepOn(this, ms, signal);
  },
};

/** The `sleep` of any clock that has `after`. */
export function sleepOn(clock: Pick<Clock, "after">, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
