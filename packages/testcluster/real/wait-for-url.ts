import { setTimeout as sleep } from "node:timers/promises";

/** Waits until a URL answers 200. A program that is still starting refuses connections; one that never comes up ends in the time limit. */
export async function waitForUrl(
  url: string,
  options: { ca?: () => string; token?: string; limitMs?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const limit = performance.now() + (options.limitMs ?? 60_000);
  for (let last = "no answer"; performance.now() < limit; await sleep(50)) {
    options.signal?.throwIfAborted();
    try {
      const answer = await fetch(url, {
        signal: AbortSignal.timeout(2_000),
        headers: options.token ? { authorization: `Bearer ${options.token}` } : {},
        ...(options.ca ? { tls: { ca: options.ca() } } : {}),
      });
      if (answer.ok) return;
      last = `${answer.status} ${await answer.text()}`;
    } catch (error) {
      last = String(error);
    }
    if (performance.now() + 50 >= limit) throw new Error(`${url} did not become ready: ${last}`);
  }
}
