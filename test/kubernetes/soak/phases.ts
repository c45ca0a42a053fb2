/** The quarter of a soak, from 0, to which a moment belongs. Later moments, while the last volumes end, belong to none. */
export function quarterAt(seconds: number, hours: number): number | undefined {
  const quarter = Math.floor((4 * seconds) / (3600 * hours));
  return quarter < 4 ? quarter : undefined;
}

/** The quarters in which nothing is killed: processes live long enough to show slow growth, and the two compare with each other. */
export const quietQuarters = [1, 3] as const;

export function isQuiet(seconds: number, hours: number): boolean {
  const quarter = quarterAt(seconds, hours);
  return quarter !== 0 && quarter !== 2;
}
