import type { Clock } from "@csi-sidecars/base";
import { unlessAborted } from "@csi-sidecars/host/sub-commands";
import { failureText } from "./failure-text.ts";

/** The result of a call, or why there is none. */
export type Answer<T> = { readonly known: true; readonly value: T } | { readonly known: false; readonly because: string };

/** How long each call may take. */
export interface TimeLimit {
  readonly clock: Clock;
  readonly limitMs: number;
}

/** Makes a call with a time limit. Never rejects: an error is the answer. */
export async function withTimeLimit<T>(
  { clock, limitMs }: TimeLimit,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Answer<T>> {
  const over = new AbortController();
  const stop = () => over.abort(signal.reason);
  const timer = clock.after(limitMs, () => over.abort(new Error("timeout")));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const answer = work(over.signal).then(
      (value): Answer<T> => ({ known: true, value }),
      (error: unknown): Answer<T> => ({ known: false, because: failureText(error) }),
    );
    return (
      (await unlessAborted(over.signal, answer)) ?? { known: false, because: signal.aborted ? "aborted" : `no answer within ${limitMs} ms` }
    );
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", stop);
    over.abort();
  }
}

/** Works on all items, `limit` at a time: many calls at once would open a connection each. */
export async function mapConcurrently<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [at, item] of queue) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return results;
}
