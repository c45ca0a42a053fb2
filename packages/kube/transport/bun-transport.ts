import { ConfigError } from "../config/config-fields.ts";
import { redactUrl } from "../config/secret-string.ts";
import type { Dial, Socket, SocketEvents } from "./http1/connection.ts";
import { Http1Pool } from "./http1/pool.ts";
import type { OpenPool, Pool, PoolResponse, PoolSettings } from "./pool.ts";
import type { TlsSettings } from "./tls-reloader.ts";

/** As in client-go: at most this many idle connections, for this long. */
const idleConnections = 25;
const idleSeconds = 90;
const keepAliveMs = 30_000;

/**
 * The only file that uses Bun's sockets and `fetch`. Bun's `fetch` runs in its own thread, which costs two wake-ups and a hand-over for
 * every request and watch event, half of their CPU. So it is only used for proxies.
 */
export const openBunPool: OpenPool = (settings) =>
  settings.proxy ? openFetchPool(settings, settings.proxy) : new Http1Pool(settings.server, bunDial(settings));

function bunDial({ server, tls }: PoolSettings): Dial {
  const { hostname, port, protocol } = new URL(server);
  const address = {
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (protocol === "https:" ? 443 : 80),
    ...(tls && { tls: tlsOptions(tls) }),
  };
  return (events) => {
    const adapter = new BunSocket(events);
    Bun.connect({
      ...address,
      socket: {
        open(socket) {
          socket.setNoDelay(true);
          socket.setKeepAlive(true, keepAliveMs);
          adapter.connected(socket);
          if (!tls) adapter.opened();
        },
        // Bun has verified the server's certificate and name by now; `success` is false when that failed.
        handshake: (_, success, error) => (success ? adapter.opened() : adapter.closed(error ?? undefined)),
        data: (_, bytes) => events.received(bytes),
        drain: () => adapter.flush(),
        timeout: (socket) => void socket.end(),
        end: (socket) => void socket.end(),
        close: (_, error) => adapter.closed(error),
        error: (_, error) => adapter.closed(error),
        connectError: (_, error) => adapter.closed(error),
      },
    }).catch((error) => adapter.closed(error));
    return adapter;
  };
}

class BunSocket implements Socket {
  readonly #events: SocketEvents;
  #socket: Bun.Socket | undefined;
  #unsent: Uint8Array | undefined;
  #paused = false;
  #ended = false;
  #opened = false;
  #closed = false;

  constructor(events: SocketEvents) {
    this.#events = events;
  }

  connected(socket: Bun.Socket): void {
    this.#socket = socket;
    if (this.#ended) socket.terminate();
  }

  opened(): void {
    if (this.#opened || this.#ended) return;
    this.#opened = true;
    this.#events.opened();
  }

  closed(error: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#events.closed(error);
  }

  flush(): void {
    if (!this.#unsent || !this.#socket) return;
    const sent = this.#socket.write(this.#unsent);
    // -1: it is closed, and `close` follows.
    this.#unsent = sent >= 0 && sent < this.#unsent.length ? this.#unsent.subarray(sent) : undefined;
  }

  get flushed(): boolean {
    return this.#unsent === undefined;
  }

  write(text: string): void {
    const sent = this.#unsent ? 0 : (this.#socket?.write(text) ?? 0);
    if (sent < 0 || sent === Buffer.byteLength(text)) return;
    const rest = Buffer.from(text).subarray(sent);
    this.#unsent = this.#unsent ? Buffer.concat([this.#unsent, rest]) : rest;
  }

  pause(): void {
    this.#paused = true;
    this.#socket?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#socket?.resume();
  }

  setIdle(seconds: number): void {
    if (this.#paused) this.resume();
    this.#socket?.timeout(seconds);
    this.#socket?.unref();
  }

  setActive(): void {
    this.#socket?.timeout(0);
    this.#socket?.ref();
  }

  end(): void {
    this.#ended = true;
    this.#socket?.terminate();
  }
}

/**
 * Bun retries GET, PUT and DELETE by itself when a kept-alive connection turns out to be closed before any response came; POST and
 * PATCH fail with ECONNRESET then. A connection that ends in the middle of a body is an error, never a short body.
 */
function openFetchPool({ server, tls }: PoolSettings, proxy: NonNullable<PoolSettings["proxy"]>): Pool {
  const session = new Bun.FetchSession({
    proxy: proxyOption(proxy),
    keepAlive: { idleTimeout: idleSeconds, maxIdleSockets: idleConnections },
    ...(tls && { tls: tlsOptions(tls) }),
  });
  return {
    // `timeout: false`: a watch may be silent for longer than Bun's own limit of five minutes.
    async send({ method, path, headers, body, signal }) {
      const init = { method, headers, signal, ...(body !== undefined && { body }), timeout: false, redirect: "manual" } as const;
      return poolResponse(await session.fetch(server + path, init));
    },
    close: () => session.close(),
  };
}

function poolResponse(response: Response): PoolResponse {
  let reader: { read(): Promise<{ value?: Uint8Array | undefined }> } | undefined;
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    text: () => response.text(),
    async read() {
      reader ??= response.body?.getReader();
      return (await reader?.read())?.value;
    },
  };
}

function tlsOptions(tls: TlsSettings): Bun.TLSOptions {
  return {
    rejectUnauthorized: !tls.insecure,
    ...(tls.ca && { ca: tls.ca }),
    ...(tls.serverName && { serverName: tls.serverName }),
    ...(tls.clientCertificate && { cert: tls.clientCertificate.cert, key: tls.clientCertificate.key }),
  };
}

/** Bun would read the proxy environment variables by itself; the proxy has already been chosen. */
function proxyOption(proxy: NonNullable<PoolSettings["proxy"]>): Bun.FetchProxyOption {
  if (proxy.url.startsWith("socks")) {
    throw new ConfigError(`${proxy.from}: ${redactUrl(proxy.url)}: SOCKS proxies are not supported; use an http:// or https:// proxy`);
  }
  return { url: proxy.url, respectNoProxy: false };
}
