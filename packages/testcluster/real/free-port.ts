import { createServer } from "node:net";

/** Below the range from which the kernel takes the ports of outgoing connections: nobody takes it between the look and the use by chance. */
const [first, last] = [20_000, 32_000];

/** A loopback port that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = first + Math.floor(Math.random() * (last - first));
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port found between ${first} and ${last}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
