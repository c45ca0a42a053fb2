/** Waits for a condition that I/O brings about, with a deadline in real time. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 5000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
