/** What decides how many events may be written at the same time. */
export interface EventLoad {
  /** Waiting events, those being written included. */
  readonly waiting: number;
  /** How long the oldest of them has waited. */
  readonly oldestMs: number;
  /** Whether the work itself has requests to the API server just now. */
  readonly working: boolean;
}

/** Waiting events beyond which the oldest are dropped: about 750 bytes each. */
export const defaultMaxWaiting = 50_000;

/**
 * Bytes of their messages beyond which the oldest are dropped too. That many events with the usual 100 to 300 bytes have less; it is
 * for drivers whose errors fill pages.
 */
export const maxWaitingBytes = 16 * 1024 * 1024;

/** How long an event may be held back in favour of the work. */
export const maxHoldMs = 30_000;

/** Enough to keep the API server busy; more writes at once make each of them slower. */
export const usualConcurrency = 10;

/** Concurrency under pressure grows with the square of the waiting events: this many allow one write, twice as many four. */
const waitingForOneWrite = 5_000;

/**
 * How many Normal events may be written at the same time. They share the API server with the work: while there is any, they are held
 * back, and sent when the work pauses, when they have waited long enough, or when so many wait that some would be dropped.
 */
export function concurrentWrites({ waiting, oldestMs, working }: EventLoad): number {
  const pressed = Math.floor((waiting / waitingForOneWrite) ** 2);
  return working && oldestMs < maxHoldMs ? pressed : Math.max(usualConcurrency, pressed);
}
