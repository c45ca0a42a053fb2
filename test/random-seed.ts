/**
 * The seed of the random events of a test: `SEED`, or another one in every run. It is printed, so that a run that failed can be repeated.
 *
 * ```ts
 * const random = seededRandom(randomSeed());
 * ```
 */
export function randomSeed(env: Readonly<Record<string, string | undefined>> = process.env): number {
  const seed = Number(env.SEED ?? Date.now() % 1e9);
  console.log(`seed ${seed}`);
  return seed;
}
