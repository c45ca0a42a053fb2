/** Calls `work` with 0 to `count` - 1, at most `limit` at a time; the first failure ends it. */
export async function inParallel(count: number, limit: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(limit, count) }, worker));
}
