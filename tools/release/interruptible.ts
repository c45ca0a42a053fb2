import { constants } from "node:os";
import { UserError } from "../../cmd/playground/user-error.ts";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs work that has something to take back: a signal aborts it instead of ending the process. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (name: (typeof signals)[number]) =>
    controller.abort(new UserError(`interrupted by ${name}`, 128 + constants.signals[name]));
  for (const name of signals) process.on(name, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of signals) process.off(name, abort);
  }
}
