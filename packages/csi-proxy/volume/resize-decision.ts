/** Windows reports sizes that differ a little from what was asked for: a smaller growth is not worth an error. */
export const smallestGrowth = 104_857_600n;

export interface ResizeDecision {
  readonly shouldResize: boolean;
  /** What the caller asked for and does not get. */
  readonly ignored?: string;
}

/** Whether to resize a partition. It is never shrunk, and not grown by less than 100 MiB. */
export function decideResize(current: bigint, wanted: bigint): ResizeDecision {
  if (wanted >= current + smallestGrowth) return { shouldResize: true };
  if (wanted === current) return { shouldResize: false };
  const ignored =
    wanted < current
      ? `shrinking from ${current} to ${wanted} bytes is not done`
      : `growing from ${current} to ${wanted} bytes is less than 100 MiB and is not done`;
  return { shouldResize: false, ignored };
}
