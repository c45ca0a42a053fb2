import { createConnection, createServer, type Socket } from "node:net";

/** A TCP relay in front of a server: what it cuts is cut for the client, whichever server is behind it. */
export interface Relay extends AsyncDisposable {
  readonly url: string;
  /** Breaks every connection; new ones are let through. */
  cut(): void;
  /** While closed, connections are refused. */
  close(): Promise<void>;
  open(): Promise<void>;
}

export async function startRelay(target: string): Promise<Relay> {
  const { hostname, port: targetPort } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection({ host: hostname, port: Number(targetPort) });
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", end);
      socket.on("close", () => {
        sockets.delete(socket);
        end();
      });
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const address = server.address();
  const port = address && typeof address === "object" ? address.port : 0;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      cut();
    });
  return {
    url: `https://127.0.0.1:${port}`,
    cut,
    close,
    open: () => listen(port),
    async [Symbol.asyncDispose]() {
      if (server.listening) await close();
    },
  };
}
