/** Waiting for the first immediate. */
let waiting: (() => void)[] = [];

/**
 * Calls back after the event loop has polled its sockets and delivered what they had received. Bun runs immediates before it polls: the
 * first one may still run before the next poll, one that it schedules runs after it. All callbacks of a turn share these two.
 */
export function afterPoll(callback: () => void): void {
  if (waiting.push(callback) === 1) setImmediate(beforePoll);
}

function beforePoll(): void {
  setImmediate(run, waiting);
  waiting = [];
}

function run(callbacks: readonly (() => void)[]): void {
  for (const callback of callbacks) callback();
}
