/** Ends the process when it is not restarted in time. */
export interface StallTimer {
  restart(): void;
  stop(): void;
}

/** Linux's numbers. */
const ITIMER_PROF = 2;
const SIGPROF = 27;

/**
 * A timer of the kernel that ends the process, with exit status 27, once it has used `limitMs` of CPU time since the last restart: that
 * happens to an event loop that something holds for ever, and no JavaScript of this process could end it.
 *
 * CPU time does not pass in a process that is frozen, or that waits for a processor: that one goes on when it can. The signal's handler is
 * `_exit` of the C library, since the first process of a container ignores signals that have no handler. A thread that watches (a Worker)
 * would take 4 MB; this takes half of one. It needs the just-in-time compiler, which the programs on nodes do without.
 */
export async function startStallTimer(limitMs: number): Promise<StallTimer> {
  const { dlopen, ptr } = await import("bun:ffi");
  const { symbols } = dlopen("libc.so.6", {
    dlsym: { args: ["ptr", "ptr"], returns: "ptr" },
    signal: { args: ["i32", "ptr"], returns: "ptr" },
    setitimer: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  });
  // struct itimerval: seconds and microseconds of the interval, then of the time that is left.
  const running = new BigInt64Array([0n, 0n, BigInt(Math.floor(limitMs / 1_000)), BigInt(Math.floor(limitMs % 1_000) * 1_000)]);
  const stopped = new BigInt64Array(4);
  const set = (value: BigInt64Array) => {
    symbols.setitimer(ITIMER_PROF, ptr(value), null);
  };
  symbols.signal(SIGPROF, symbols.dlsym(null, ptr(Buffer.from("_exit\0"))));
  set(running);
  return { restart: () => set(running), stop: () => set(stopped) };
}
