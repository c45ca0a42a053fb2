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

/** How long ago a monotonic moment was, for people to read: in seconds, with microseconds. */
export function secondsSince(clock: Pick<Clock, "monotonic">, started: number): number {
  return Math.round((clock.monotonic() - started) * 1000) / 1_000_000;
}

/** A moment on both clocks. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

export function momentOn(clock: Clock): Moment {
  return { wall: clock.now(), monotonic: clock.monotonic() };
}

/**
 * Milliseconds since a moment by whichever clock says more: for what must not go on for too long. The monotonic clock may stand still
 * while a virtual machine is paused or a machine sleeps; wall time may be set back.
 */
export function elapsedSince({ wall, monotonic }: Moment, clock: Clock): number {
  return Math.max(clock.now() - wall, clock.monotonic() - monotonic);
}
