/** What decides how many events may be on their way at the same moment. */
export interface EventLoad {
  /** Events that wait, those on their way included. */
  readonly waiting: number;
  /** How long the oldest of them has waited. */
  readonly oldestMs: number;
  /** Whether the work itself asks something of the API server just now. */
  readonly working: boolean;
}

/** Events that wait for the API server, before the oldest are given up: about 750 bytes each. */
export const mostWaitingEvents = 50_000;

/** How long an event may be held back in favour of the work. */
export const patienceMs = 30_000;

/** As many as keep the API server busy enough; more at once make each of them slower. */
export const usualWrites = 10;

/** The more wait, the larger their share, and ever faster: one of these makes a single write at once, twice as many make four. */
const heldForOneWrite = 5_000;

/**
 * Writes at once for events that nobody waits for. The same API server does the work: while there is any, events are held back, and sent
 * when it pauses, when they have waited long enough, or when so many wait that some would be lost.
 */
export function writesAtOnce({ waiting, oldestMs, working }: EventLoad): number {
  const pressed = Math.floor((waiting / heldForOneWrite) ** 2);
  return working && oldestMs < patienceMs ? pressed : Math.max(usualWrites, pressed);
}
