/**
 * The error a promise rejects with. Used instead of `expect(promise).rejects`, which holds up the event loop while it waits, and with it
 * the sockets that would settle the promise.
 */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: Error) => ({ error }),
  );
  if ("error" in outcome) return outcome.error;
  throw new Error(`expected a failure, got ${String(outcome.value)}`);
}
