/** How a call to the driver ended, as far as its load is concerned. */
export type PaceSign = "fine" | "overloaded" | "neither";

/** How many calls may run at a time, and what was seen since that was last decided. */
export interface Pace {
  readonly limit: number;
  readonly seen: number;
  readonly overloaded: number;
}

/** The fewest calls after which the limit may change: one slow volume says nothing about the driver. */
const shortestWindow = 8;
const tooMany = 0.25;
const almostNone = 0.05;

export function fullPace(most: number): Pace {
  return { limit: most, seen: 0, overloaded: 0 };
}

/**
 * What a call's end means for the calls to come. Each time about as many calls ended as may run at once, a quarter or more of them
 * overloaded takes three tenths off the limit; next to none adds half, up to `most`. In between, and for failures that have nothing
 * to do with load, nothing changes.
 */
export function paceAfter(pace: Pace, sign: PaceSign, most: number): Pace {
  if (sign === "neither") return pace;
  const seen = pace.seen + 1;
  const overloaded = pace.overloaded + (sign === "overloaded" ? 1 : 0);
  if (seen < Math.max(shortestWindow, pace.limit)) return { ...pace, seen, overloaded };
  return fullPace(nextLimit(pace.limit, overloaded / seen, most));
}

function nextLimit(limit: number, share: number, most: number): number {
  if (share >= tooMany) return Math.max(1, Math.floor(limit * 0.7));
  return share <= almostNone ? raised(limit, most) : limit;
}

/** One step up: half as much again. */
export function raised(limit: number, most: number): number {
  return Math.min(most, limit + Math.ceil(limit / 2));
}
