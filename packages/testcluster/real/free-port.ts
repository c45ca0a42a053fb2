import { createServer } from "node:net";
import { messageOf } from "@csi-sidecars/base";

/** Below the range of ephemeral ports, so that no outgoing connection takes the port before it is used. */
const [first, last] = [20_000, 32_000];

/** A loopback port that nothing listens on. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = first + Math.floor(Math.random() * (last - first));
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port found between ${first} and ${last}`);
}

/** Starts something on free ports, and retries on others if one was taken in the meantime. */
export async function onFreePorts<T>(count: number, start: (...ports: number[]) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const ports = new Set<number>();
    while (ports.size < count) ports.add(await freePort());
    try {
      return await start(...ports);
    } catch (error) {
      if (tries === 3 || !messageOf(error).includes("address already in use")) throw error;
    }
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
