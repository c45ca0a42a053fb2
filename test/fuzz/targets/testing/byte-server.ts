import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/** A server on loopback that answers each request with the bytes given last. */
export interface ByteServer {
  readonly url: string;
  /** The response to the next request, and whether its connection is left open; returns a path to ask for. */
  respondWith(bytes: Buffer, keepOpen: boolean): string;
  close(): Promise<void>;
}

export async function serveBytes(): Promise<ByteServer> {
  const sockets = new Set<Socket>();
  let bytes: Buffer = Buffer.alloc(0);
  let [number, open] = [0, false];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", () => (open ? socket.write(bytes) : socket.end(bytes)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    respondWith(next, keepOpen) {
      [bytes, open] = [next, keepOpen];
      return `/${number++}`;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
