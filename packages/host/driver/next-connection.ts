import type { DriverConnection } from "@csi-sidecars/csi";

/** Waits for the next connection, or takes the present one: a signal that aborts when it is lost; `undefined` when `signal` aborts first. */
export async function nextConnection(
  connection: Pick<DriverConnection, "state" | "subscribe">,
  signal: AbortSignal,
): Promise<AbortSignal | undefined> {
  const lost = new AbortController();
  return new Promise((resolve) => {
    let up = false;
    const look = () => {
      if (connection.state.phase === "ready") {
        up = true;
        signal.removeEventListener("abort", giveUp);
        resolve(lost.signal);
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
}
