/** What grew, beyond what is noise. */
export interface Growth {
  readonly before: number;
  readonly after: number;
}

/** How much more than before is noise: a share of it, at least so much. */
export interface Noise {
  readonly share: number;
  readonly least: number;
}

export function growth(before: number, after: number, { share, least }: Noise): Growth | undefined {
  return after - before > Math.max(least, share * before) ? { before, after } : undefined;
}

/** How values rose bit by bit after their first quarter, in which caches fill: once is no growth, however much. */
export function steadyGrowth(values: readonly number[], noise: Noise): Growth | undefined {
  const quarter = Math.floor(values.length / 4);
  if (quarter < 2) return undefined;
  const [first, second, third] = [
    median(values.slice(quarter, 2 * quarter)),
    median(values.slice(-2 * quarter, -quarter)),
    median(values.slice(-quarter)),
  ];
  const isSteady = Math.min(second - first, third - second) >= (third - first) / 4;
  return isSteady ? growth(first, third, noise) : undefined;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
