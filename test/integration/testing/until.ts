/** Waits for a condition; names it when it does not come true in time. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, withinMs = 10_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await Bun.sleep(10);
  }
}
