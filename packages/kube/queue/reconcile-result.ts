import type { Key } from "../object.ts";
import type { Priority } from "./work-queue.ts";

/** How a reconcile ends. Failing is throwing; everything else is a value. */
export type ReconcileResult =
  | { readonly next: "done" }
  /** Called again after `afterMs`, with the priority of before unless told. Counts as success: the key's backoff is reset. */
  | { readonly next: "requeue"; readonly afterMs: number; readonly priority?: Priority }
  /** Called again after the key's backoff, which grows, but without counting as a failure. */
  | { readonly next: "retry" }
  /** Called again when something else adds the key, such as a lock that becomes free. Neither success nor failure: the backoff stays. */
  | { readonly next: "blocked" };

/** Nothing is left to do until the key is added again. */
export const done: ReconcileResult = { next: "done" };

/** Waits for something that takes about `ms`. With a `low` priority, whatever else is due by then goes first. */
export const requeueAfter = (ms: number, priority?: Priority): ReconcileResult => ({ next: "requeue", afterMs: ms, priority });

/** For a step whose effect should come back through the watch: the key is called again if it does not. */
export const retry: ReconcileResult = { next: "retry" };

/** What the key needs is in use: its next user adds the key again when it is free. */
export const blocked: ReconcileResult = { next: "blocked" };

/**
 * Brings what the key names closer to its desired state. Throwing means failing: the key is retried after its backoff.
 * The signal aborts when the result is no longer wanted (leadership lost, drain time over).
 */
export type Reconcile<K = Key> = (key: K, signal: AbortSignal) => Promise<ReconcileResult>;

/** Something was not done because it is no longer to be done, as Go's `context.Canceled` says: not a failure of the work. */
export class CanceledError extends Error {
  override readonly name: string = "CanceledError";
}

/**
 * Whether an error or one of its causes is a {@link CanceledError} or the AbortError of a signal: the work was canceled (leadership
 * lost, shutdown), it did not fail.
 */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error instanceof CanceledError || error.name === "AbortError" || isAbort(error.cause));
}
