/** Does the work for every item, so many at a time. */
export async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>, atATime = 20): Promise<void> {
  const rest = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: atATime }, async () => {
      for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
    }),
  );
}
