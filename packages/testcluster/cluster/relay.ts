import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createConnection, createServer, type NetConnectOpts, type Socket } from "node:net";

/** A relay in front of a server: what it cuts or freezes is a network failure for the client, whichever server is behind it. */
export interface Relay extends AsyncDisposable {
  /** Where it listens: a URL, or the path of a unix socket. */
  readonly address: string;
  /** Breaks every connection; new ones are let through. */
  cut(): void;
  /** While closed, connections are refused. */
  close(): Promise<void>;
  open(): Promise<void>;
  /** From now on nothing gets through in either direction, not even the end of a connection: what is sent waits in the buffers. */
  freeze(): void;
  /** What waited is delivered. */
  thaw(): void;
}

/** In front of the TCP server of a URL, on a port of its own. */
export async function startRelay(target: string): Promise<Relay> {
  const { protocol, hostname, port: targetPort } = new URL(target);
  const relayed = new RelayServer({ host: hostname, port: Number(targetPort) });
  const port = await relayed.listen({ host: "127.0.0.1", port: 0 });
  return relayed.controls(`${protocol}//127.0.0.1:${port}`, { host: "127.0.0.1", port });
}

/** In front of a unix socket, at another path. */
export async function startSocketRelay(target: string, path: string): Promise<Relay> {
  const relayed = new RelayServer({ path: target });
  await relayed.listen({ path });
  return relayed.controls(path, { path });
}

type ListenAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** A connection of a client and the one to the server that belongs to it. */
class Pair {
  readonly #client: Socket;
  readonly #target: NetConnectOpts;
  readonly #closed: () => void;
  #upstream: Socket | undefined;
  #frozen = false;
  #ended = false;

  constructor(client: Socket, target: NetConnectOpts, closed: () => void) {
    this.#client = client;
    this.#target = target;
    this.#closed = closed;
    client.pause();
    this.#endWith(client);
  }

  freeze(): void {
    this.#frozen = true;
    this.#client.pause();
    this.#upstream?.pause();
  }

  thaw(): void {
    this.#frozen = false;
    if (this.#ended) {
      this.destroy();
      return;
    }
    this.#upstream ??= this.#connect();
    this.#client.resume();
    this.#upstream.resume();
  }

  destroy(): void {
    this.#client.destroy();
    this.#upstream?.destroy();
    this.#closed();
  }

  #connect(): Socket {
    const upstream = createConnection(this.#target);
    this.#endWith(upstream);
    const forward = (from: Socket, to: Socket) => {
      from.on("data", (bytes) => {
        if (!to.write(bytes)) from.pause();
      });
      to.on("drain", () => {
        if (!this.#frozen) from.resume();
      });
    };
    forward(this.#client, upstream);
    forward(upstream, this.#client);
    return upstream;
  }

  #endWith(socket: Socket): void {
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#ended = true;
      if (!this.#frozen) this.destroy();
    });
  }
}

class RelayServer {
  readonly #pairs = new Set<Pair>();
  readonly #server;
  #frozen = false;

  constructor(target: NetConnectOpts) {
    this.#server = createServer((client) => {
      const pair: Pair = new Pair(client, target, () => this.#pairs.delete(pair));
      this.#pairs.add(pair);
      if (this.#frozen) pair.freeze();
      else pair.thaw();
    });
  }

  /** Returns the port, if it has one. */
  async listen(address: ListenAddress): Promise<number> {
    if ("path" in address) await rm(address.path, { force: true });
    const listens = once(this.#server, "listening");
    this.#server.listen(address);
    await listens;
    const listening = this.#server.address();
    return listening && typeof listening === "object" ? listening.port : 0;
  }

  controls(address: string, listenAddress: ListenAddress): Relay {
    const cut = () => {
      for (const pair of this.#pairs) pair.destroy();
    };
    const close = async () => {
      if (!this.#server.listening) return;
      const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
      cut();
      await closed;
    };
    return {
      address,
      cut,
      close,
      open: async () => {
        if (!this.#server.listening) await this.listen(listenAddress);
      },
      freeze: () => {
        this.#frozen = true;
        for (const pair of this.#pairs) pair.freeze();
      },
      thaw: () => {
        this.#frozen = false;
        for (const pair of this.#pairs) pair.thaw();
      },
      [Symbol.asyncDispose]: close,
    };
  }
}
