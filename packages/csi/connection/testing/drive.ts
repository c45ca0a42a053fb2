import { type FakeClock, until } from "@csi-sidecars/base/testing";

/**
 * Moves a clock on in small steps until something has happened, giving connection attempts on real sockets the time to end
 * in between; answers how much fake time it took.
 */
export async function drive(clock: FakeClock, what: string, happened: () => boolean, limitMs: number): Promise<number> {
  const started = clock.monotonic();
  while (!happened()) {
    if (clock.monotonic() - started > limitMs) throw new Error(`not within ${limitMs} ms of fake time: ${what}`);
    await until("the connection attempt ends", () => happened() || (clock.nextIn ?? 0) <= 1_200);
    if (!happened()) await clock.advance(100);
  }
  return clock.monotonic() - started;
}
