import { createServer, type Server, type Socket } from "node:net";
import type { Logger } from "@csi-sidecars/base";
import { type ListenAddress, listenOn } from "@csi-sidecars/csi";
import { parseEndpoint } from "../parse-values.ts";

/** The two endpoints that a proxy joins. */
export interface ProxyOptions {
  /** Where the sidecars connect. */
  readonly endpoint: string;
  /** Where the driver that runs elsewhere dials in. */
  readonly proxyEndpoint: string;
  readonly log: Logger;
}

/** A running proxy. */
export interface Proxy {
  /** The port that drivers dial, when it is one. */
  readonly port: number | undefined;
  stop(): Promise<void>;
}

/**
 * Joins each connection on one endpoint to one on the other and copies bytes both ways. A driver in another process serves the
 * sidecars through it: it dials in instead of listening. Whoever comes first waits.
 */
export async function startProxy({ endpoint, proxyEndpoint, log }: ProxyOptions): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const waiting: { readonly clients: Socket[]; readonly drivers: Socket[] } = { clients: [], drivers: [] };
  const arrive = (socket: Socket, own: Socket[], other: Socket[]) => {
    sockets.add(socket);
    socket.on("error", (error) => log.v(4).info("Proxied connection failed", { err: error.message }));
    socket.once("close", () => {
      sockets.delete(socket);
      const at = own.indexOf(socket);
      if (at >= 0) own.splice(at, 1);
    });
    const peer = other.shift();
    if (peer) join(peer, socket);
    else {
      // Nothing is read before there is a peer, so that nothing is lost.
      socket.pause();
      own.push(socket);
    }
  };
  const addresses = { clients: parseEndpoint(endpoint), drivers: parseEndpoint(proxyEndpoint) };
  const clients = await listen(addresses.clients, log, (socket) => arrive(socket, waiting.clients, waiting.drivers));
  const drivers = await listen(addresses.drivers, log, (socket) => arrive(socket, waiting.drivers, waiting.clients)).catch(
    (error: unknown) => {
      clients.close();
      throw error;
    },
  );
  const bound = drivers.address();
  return {
    port: typeof bound === "object" && bound ? bound.port : undefined,
    async stop() {
      const closed = [clients, drivers].map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

function join(a: Socket, b: Socket): void {
  forward(a, b);
  forward(b, a);
}

/** What a side sent before it closed still reaches the other; one that broke off takes the other with it. */
function forward(from: Socket, to: Socket): void {
  from.pipe(to);
  from.once("close", () => {
    if (from.readableEnded) to.destroySoon();
    else to.destroy();
  });
}

async function listen(address: ListenAddress, log: Logger, onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnection);
  await listenOn(server, address);
  server.on("error", (error) => log.error(error, "Cannot accept a connection"));
  return server;
}
