import { systemClock } from "@csi-sidecars/base";

/** The exit code of a program that Ctrl-C has ended. */
export const interrupted = 130;
/** npm forwards Ctrl-C to a program that has got it from the terminal already: a second one this soon is the same. */
const sameCtrlCMs = 1_000;
const parentCheckMs = 500;

/** Stops gracefully on the first signal. A further one exits at once, and the reaper cleans up. */
export function stopOnSignals(stop: AbortController): void {
  let first = Number.POSITIVE_INFINITY;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      const now = systemClock.monotonic();
      if (now - first > sameCtrlCMs) process.exit(interrupted);
      first = Math.min(first, now);
      stop.abort();
    });
  }
  // The reader of the output is gone.
  process.stdout.on("error", () => stop.abort());
}

/**
 * npm runs a script in a shell that forwards no signals: ending `npm start` with anything but Ctrl-C would leave the playground running.
 * It notices that it has a new parent, and stops.
 */
export function stopWithNpm(env: NodeJS.ProcessEnv, stop: AbortController): void {
  if (env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== shell) stop.abort();
  }, parentCheckMs);
  timer.unref();
}
