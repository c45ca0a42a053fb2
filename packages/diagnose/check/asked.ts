import { type Clock, messageWithCause } from "@csi-sidecars/base";
import { unlessAborted } from "@csi-sidecars/host/sub-commands";
import type { Asked } from "./facts.ts";

/** Asks with a time limit; what goes wrong is the answer. */
export async function ask<T>(
  { clock, limitMs }: { readonly clock: Clock; readonly limitMs: number },
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<Asked<T>> {
  const over = new AbortController();
  const stop = () => over.abort(signal.reason);
  const timer = clock.after(limitMs, () => over.abort(new Error("timeout")));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const answer = work(over.signal).then((value): Asked<T> => ({ known: true, value }), unknown);
    return (
      (await unlessAborted(over.signal, answer)) ?? { known: false, because: signal.aborted ? "aborted" : `no answer within ${limitMs} ms` }
    );
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", stop);
    over.abort();
  }
}

export function unknown(error: unknown): { readonly known: false; readonly because: string } {
  return { known: false, because: messageWithCause(error) };
}

/** Works on all items, a few at a time: many questions at once would open a connection each. */
export async function fewAtATime<T, R>(items: readonly T[], atATime: number, work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [at, item] of queue) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return results;
}
