/** Waits for a condition that sockets bring about, at most `ms` of real time. */
export async function until(what: string, condition: () => boolean, ms = 5_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
    await new Promise<void>((resolve) => setTimeout(resolve, 1));
  }
}
