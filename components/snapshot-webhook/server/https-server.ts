import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { type Clock, type Logger, messageOf, systemErrorCode } from "@csi-sidecars/base";
import { type Answer, aborted } from "@csi-sidecars/host";
import type { WebhookRequest } from "../review/answer.ts";
import type { CertificatePair } from "./certificate-pair.ts";
import { ConnectionDeadline } from "./connection-deadline.ts";
import { ReadBudget, readBody } from "./read-body.ts";

/** What answers a path, and the longest body that it reads. */
export interface Endpoint {
  readonly maxBytes: number;
  answer(request: WebhookRequest): Answer | Promise<Answer>;
}

export interface HttpsServerOptions {
  /** Empty for every address of the machine. */
  readonly host: string;
  readonly port: number;
  readonly pair: CertificatePair;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called for each request with its path, if that is known, and the status of the answer. */
  answered?(path: string, status: number): void;
}

const notFound: Answer = { status: 404, body: "404 page not found\n" };
const failed: Answer = { status: 500, body: "internal server error\n" };

/**
 * A small HTTPS server: TLS by `node:tls`, which can change its certificate while it listens, and HTTP/1.1 by `node:http` on its
 * connections. New handshakes get the newest certificate; connections that exist go on.
 */
export class HttpsServer {
  readonly #options: HttpsServerOptions;
  readonly #tls;
  readonly #http;
  readonly #budget = new ReadBudget();
  readonly #deadlines = new Map<TLSSocket, ConnectionDeadline>();
  readonly #busy = new Set<TLSSocket>();
  readonly #closing = new AbortController();

  constructor(options: HttpsServerOptions) {
    this.#options = options;
    const { cert, key } = options.pair;
    this.#http = createHttpServer((request, response) => void this.#serve(request, response));
    // Time limits are ours: those of this server count from its own listener, which it has not.
    Object.assign(this.#http, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
    this.#http.on("clientError", (_error, socket) => socket.destroy());
    this.#tls = createTlsServer({ cert, key, minVersion: "TLSv1.2", ALPNProtocols: ["http/1.1"], handshakeTimeout: 10_000 });
    this.#tls.on("secureConnection", (socket) => this.#connected(socket));
    this.#tls.on("tlsClientError", (error, socket) => {
      options.log.v(4).info("TLS handshake failed", { err: messageOf(error) });
      socket.destroy();
    });
  }

  /** Listens; resolves with the port. */
  async listen(): Promise<number> {
    const { host, port } = this.#options;
    if (host !== "") return this.#listenOn(host, port);
    try {
      return await this.#listenOn("::", port);
    } catch (error) {
      // A kernel without IPv6.
      if (systemErrorCode(error) === "EADDRINUSE" || systemErrorCode(error) === "EACCES") throw error;
      return this.#listenOn("0.0.0.0", port);
    }
  }

  #listenOn(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#tls.once("error", reject);
      this.#tls.listen(port, host, () => {
        this.#tls.off("error", reject);
        this.#tls.on("error", (error) => this.#options.log.error(error, "HTTPS server failed"));
        resolve((this.#tls.address() as AddressInfo).port);
      });
    });
  }

  /** The certificate of all handshakes from now on. */
  use({ cert, key }: CertificatePair): void {
    this.#tls.setSecureContext({ cert, key });
  }

  /** Accepts nothing new; resolves when the requests that came in are answered. */
  async close(): Promise<void> {
    this.#tls.close();
    this.#closing.abort();
    for (const socket of this.#deadlines.keys()) if (!this.#busy.has(socket)) socket.destroy();
    while (this.#busy.size > 0) await Promise.all([...this.#busy].map(closed));
  }

  #connected(socket: TLSSocket): void {
    const deadline = new ConnectionDeadline(this.#options.clock, () => socket.destroy());
    this.#deadlines.set(socket, deadline);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      deadline.end();
      this.#deadlines.delete(socket);
      this.#busy.delete(socket);
    });
    this.#http.emit("connection", socket);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const socket = request.socket as TLSSocket;
    const deadline = this.#deadlines.get(socket);
    this.#busy.add(socket);
    deadline?.begin("read");
    response.on("finish", () => {
      this.#busy.delete(socket);
      deadline?.begin("idle");
      if (this.#closing.signal.aborted) socket.end();
    });
    const answer = await this.#answer(request).catch((error: unknown) => {
      this.#options.log.error(error, "Failed to answer a request", { path: request.url ?? "" });
      return failed;
    });
    if (!answer) {
      socket.destroy();
      return;
    }
    deadline?.begin("write");
    // A connection on which some of a request is left unread cannot take another one.
    send(response, answer, this.#closing.signal.aborted || !request.readableEnded);
  }

  /** `undefined` when the client has gone away before all of its request was there. */
  async #answer(request: IncomingMessage): Promise<Answer | undefined> {
    const path = pathOf(request.url ?? "");
    const endpoint = this.#options.endpoints.get(path);
    const answer = endpoint ? await this.#ask(endpoint, request) : notFound;
    if (answer) this.#options.answered?.(endpoint ? path : "other", answer.status);
    return answer;
  }

  async #ask(endpoint: Endpoint, request: IncomingMessage): Promise<Answer | undefined> {
    using body = await readBody(request, endpoint.maxBytes, this.#budget);
    if (body.outcome === "cut") return undefined;
    if (body.outcome === "refused") return body.answer;
    return await endpoint.answer({
      contentType: request.headers["content-type"] ?? "",
      accept: request.headers.accept ?? "",
      body: body.text,
    });
  }
}

function pathOf(url: string): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

function send(response: ServerResponse, { status, body, contentType }: Answer, close: boolean): void {
  response.writeHead(status, {
    "Content-Type": contentType ?? "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
    "Content-Length": Buffer.byteLength(body),
    ...(close && { Connection: "close" }),
  });
  response.end(body);
}

function closed(socket: TLSSocket): Promise<void> {
  const end = new AbortController();
  socket.once("close", () => end.abort());
  if (socket.destroyed) end.abort();
  return aborted(end.signal);
}
