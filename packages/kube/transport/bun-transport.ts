import { X509Certificate } from "node:crypto";
import type { PeerCertificate } from "node:tls";
import { type Clock, garbageMeter, systemErrorCode } from "@csi-sidecars/base";
import { afterPoll } from "./after-poll.ts";
import { DialTimeout, handshakeClosed } from "./dial-timeout.ts";
import { BodyText } from "./http1/body-text.ts";
import { type Dial, idleSeconds, type Socket, type SocketEvents } from "./http1/connection.ts";
import { Http1Pool } from "./http1/pool.ts";
import { MalformedResponseError } from "./http1/response-error.ts";
import type { BodyPart, OpenPool, Pool, PoolResponse, PoolSettings, RequestHeaders } from "./pool.ts";
import { checkServerName, expectedName, refusalOf, serverNameIndication } from "./server-certificate.ts";
import type { TlsSettings } from "./tls-reloader.ts";

/** As in client-go: at most this many idle connections. */
const idleConnections = 25;
const keepAliveMs = 30_000;

/**
 * The only file that uses Bun's sockets and `fetch`. Bun's `fetch` runs in its own thread, which costs two wake-ups and a hand-over for
 * every request and watch event, half of their CPU. So it is only used for proxies.
 */
export const openBunPool: OpenPool = (settings) =>
  settings.proxy ? openFetchPool(settings, settings.proxy) : new Http1Pool(settings.server, bunDial(settings), settings.maxBodyBytes);

function bunDial({ server, tls, clock }: PoolSettings): Dial {
  const { hostname, port, protocol } = new URL(server);
  const name = expectedName(server, tls ?? {});
  const address = {
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (protocol === "https:" ? 443 : 80),
    // Bun only reports what it thinks of the certificate: `handshake` decides, before anything is sent.
    ...(tls && { tls: { ...tlsOptions(tls, name), rejectUnauthorized: false } }),
  };
  return (events) => {
    const adapter = new BunSocket(events, clock);
    connectSocket({
      ...address,
      socket: {
        open(socket) {
          socket.setNoDelay(true);
          socket.setKeepAlive(true, keepAliveMs);
          adapter.connected(socket);
          if (!tls) adapter.opened();
        },
        handshake(socket, _, error) {
          const refusal = tls && refusalOf({ error, certificate: socket.getPeerX509Certificate() }, name, tls);
          if (refusal) adapter.fail(refusal);
          else adapter.opened();
        },
        data: (_, bytes) => {
          garbageMeter.bytesRead(bytes.length);
          events.received(bytes);
        },
        drain: () => adapter.flush(),
        timeout(socket) {
          adapter.closed(closedHere());
          socket.end();
        },
        end(socket) {
          adapter.closed(undefined);
          socket.end();
        },
        close: (_, error) => adapter.closed(error ?? closedHere()),
        error: (_, error) => adapter.closed(error),
        connectError: (_, error) => adapter.closed(error),
      },
    }).catch((error) => adapter.closed(error));
    return adapter;
  };
}

/** Bun throws at once where it cannot use a certificate or an address: nobody has the socket's adapter yet. */
async function connectSocket(options: Bun.TCPSocketConnectOptions<undefined>): Promise<Bun.Socket> {
  return Bun.connect(options);
}

/** Bun closes a socket without an error when it was ended on this side. */
function closedHere(): Error {
  return Object.assign(new Error("the connection was ended"), { code: "ECONNRESET" });
}

class BunSocket implements Socket {
  readonly #events: SocketEvents;
  readonly #dialTimeout: DialTimeout;
  #socket: Bun.Socket | undefined;
  #unsent: Uint8Array | undefined;
  #paused = false;
  #ended = false;
  #opened = false;
  #closed = false;

  constructor(events: SocketEvents, clock: Clock) {
    this.#events = events;
    this.#dialTimeout = new DialTimeout(clock, (error) => this.fail(error));
  }

  connected(socket: Bun.Socket): void {
    this.#socket = socket;
    if (this.#ended) socket.terminate();
    else this.#dialTimeout.handshaking();
  }

  opened(): void {
    if (this.#opened || this.#ended) return;
    this.#opened = true;
    this.#dialTimeout.done();
    this.#events.opened();
  }

  /** Reports the error before it ends the socket, whose own event about that says less. */
  fail(error: Error): void {
    this.closed(error);
    this.end();
  }

  closed(error: Error | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#dialTimeout.done();
    const inHandshake = this.#socket && !this.#opened && (!error || systemErrorCode(error) === "ECONNRESET");
    this.#events.closed(inHandshake ? Object.assign(new Error("closed in the TLS handshake"), { code: handshakeClosed }) : error);
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

  afterReceiving(callback: () => void): void {
    afterPoll(callback);
  }

  end(): void {
    this.#ended = true;
    this.#dialTimeout.done();
    this.#socket?.terminate();
  }
}

/**
 * Bun sends GET, PUT and DELETE again by itself when a kept-alive connection ends before any response came. A PUT or DELETE that was
 * done would then be answered with a conflict or as not found, so these two get a connection of their own. POST and PATCH fail with
 * ECONNRESET. A connection that ends in the middle of a body is an error, never a short body.
 */
function openFetchPool({ server, tls, maxBodyBytes }: PoolSettings, proxy: NonNullable<PoolSettings["proxy"]>): Pool {
  const name = expectedName(server, tls ?? {});
  const identity = { checkServerIdentity: (_: string, { raw }: PeerCertificate) => checkServerName(name, new X509Certificate(raw)) };
  const session = new Bun.FetchSession({
    // Bun would read the proxy environment variables by itself; the proxy has already been chosen.
    proxy: { url: proxy.url, respectNoProxy: false },
    keepAlive: { idleTimeout: idleSeconds, maxIdleSockets: idleConnections },
    ...(tls && { tls: { ...tlsOptions(tls, name), ...(!tls.insecure && identity) } }),
  });
  return {
    // `timeout: false`: a watch may be silent for longer than Bun's own limit of five minutes.
    async send({ method, path, headers, body, signal, refusal }) {
      const keepalive = method !== "PUT" && method !== "DELETE";
      const init = {
        method,
        headers: headerPairs(headers),
        signal,
        ...(body !== undefined && { body }),
        keepalive,
        timeout: false,
        redirect: "manual",
      } as const;
      const refused = refusal?.();
      if (refused) throw refused;
      return poolResponse(await explained(session.fetch(server + path, init)), maxBodyBytes);
    },
    close: () => session.close(),
  };
}

/** Fetch joins several values with commas; where that would change their meaning, {@link commonHeaders} refuses them. */
function headerPairs(headers: RequestHeaders): [string, string][] {
  return Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value]));
}

/** Codes of `fetch` for responses that it does not understand. */
const malformations: ReadonlyMap<string | undefined, string> = new Map([
  ["Malformed_HTTP_Response", "its head is not that of an HTTP/1.1 response"],
  ["InvalidContentLength", "its content length is not a number, or it has several"],
  ["InvalidHTTPResponse", "its transfer encoding or its chunks are wrong"],
  ["UnrequestedUpgrade", "it switches to a protocol that was not asked for"],
  ["ZlibError", "its gzip data is corrupt"],
  ["BrotliDecompressionError", "its content encoding is not gzip"],
]);

async function explained<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    const why = malformations.get(systemErrorCode(error));
    throw why === undefined ? error : new MalformedResponseError(why, { cause: error });
  }
}

function poolResponse(response: Response, maxBodyBytes: number | undefined): PoolResponse {
  const reader = response.body?.getReader();
  const read = async (): Promise<BodyPart> => {
    const { value } = reader ? await explained(reader.read()) : {};
    if (value) garbageMeter.bytesRead(value.length);
    return value ? { done: false, value } : { done: true, value };
  };
  return {
    status: response.status,
    header: (name) => response.headers.get(name) ?? undefined,
    async text(maxBytes = maxBodyBytes) {
      const body = new BodyText(maxBytes);
      try {
        for (let part = await read(); part.value; part = await read()) body.add(part.value);
      } catch (error) {
        // Without effect on a body that has failed by itself.
        await reader?.cancel().catch(() => undefined);
        throw error;
      }
      return body.decode(undefined);
    },
    read,
  };
}

function tlsOptions(tls: TlsSettings, name: string): Bun.TLSOptions {
  return {
    rejectUnauthorized: !tls.insecure,
    serverName: serverNameIndication(name),
    ...(tls.ca && { ca: tls.ca }),
    ...(tls.clientCertificate && { cert: tls.clientCertificate.cert, key: tls.clientCertificate.key }),
  };
}
