import type { DriverConnection } from "@csi-sidecars/csi";

/** The time of one connection to the driver: from the moment it is ready until it is lost. */
export interface ConnectionPeriod {
  /** Counts the connections: what was learned in another period may be stale. */
  readonly generation: number;
  /** Aborts when the driver is lost. */
  readonly signal: AbortSignal;
}

/** The current connection, or the next one; `undefined` when the signal aborts first. */
export async function nextPeriod(
  connection: Pick<DriverConnection, "state" | "subscribe">,
  signal: AbortSignal,
): Promise<ConnectionPeriod | undefined> {
  const lost = new AbortController();
  const generation = await new Promise<number | undefined>((resolve) => {
    let up = false;
    const look = () => {
      const { state } = connection;
      if (state.phase === "ready") {
        up = true;
        signal.removeEventListener("abort", giveUp);
        resolve(state.generation);
      } else if (up) {
        stop();
        lost.abort(new Error("Lost connection to CSI driver"));
      }
    };
    const giveUp = () => {
      stop();
      resolve(undefined);
    };
    const stop = connection.subscribe(look);
    signal.addEventListener("abort", giveUp, { once: true });
    look();
  });
  return generation === undefined ? undefined : { generation, signal: lost.signal };
}
