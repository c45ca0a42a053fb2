import { createServer, type Http2Session, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Server } from "node:net";
import type { Duplex } from "node:stream";
import { type Clock, type Logger, silentLogger, systemClock } from "@csi-sidecars/base";
import { AnyAuthorityListener } from "./any-authority/any-authority-listener.ts";
import { isGrpcContentType } from "./headers.ts";
import { type ListenAddress, listenOn } from "./listen.ts";
import { type Route, refuseHttp, sendStatus, serveCall } from "./server-call.ts";
import { type ClientConnection, methodPath, methodsOf, type ServiceDefinition, type ServiceHandlers } from "./service-definition.ts";
import { Code, GrpcError } from "./status.ts";
import type { Target } from "./target.ts";

export interface ServerOptions {
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Largest request accepted: 4 MiB unless set, as everywhere in gRPC. */
  readonly maxReceiveBytes?: number;
  /** Takes requests whatever their `:authority` is, as old Go clients of unix sockets and all of named pipes need it. */
  readonly anyAuthority?: boolean;
  /** Called when a server that listened can no longer do so. Without it that is logged. */
  readonly onFailure?: (error: Error) => void;
}

/**
 * The largest header list of a request, told clients in SETTINGS: as much as gRPC's C library takes. A list can be a thousand times larger
 * than it is sent, and each call on a connection may have one.
 */
const maxHeaderListBytes = 16 * 1024;

/** How long clients have to finish their requests, and to close their connections once every call is answered. */
const goodbyeMs = 1_000;

const shuttingDown = new GrpcError(Code.Unavailable, "the server is shutting down");

/**
 * Serves services over HTTP/2 without TLS.
 *
 * ```ts
 * const server = new GrpcServer().serve(IdentityDefinition, { probe: () => ({ ready: true }) });
 * await server.listen({ path: "/csi/csi.sock" });
 * ```
 */
export class GrpcServer {
  readonly #options: Required<ServerOptions>;
  readonly #routes = new Map<string, Route | undefined>();
  readonly #services = new Set<string>();
  readonly #sessions = new Map<Http2Session, ClientConnection>();
  readonly #sockets = new Set<Duplex>();
  readonly #calls = new Map<ServerHttp2Stream, Promise<void>>();
  readonly #http2 = createServer({ settings: { maxHeaderListSize: maxHeaderListBytes } });
  readonly #anyAuthority: AnyAuthorityListener | undefined;
  #connections = 0;
  #target: Target | undefined;
  #leaving = false;

  constructor(options: ServerOptions = {}) {
    const { clock = systemClock, log = silentLogger, maxReceiveBytes = 4 * 1024 * 1024, anyAuthority = false } = options;
    const onFailure = options.onFailure ?? ((error) => log.error(error, "gRPC server failed"));
    this.#options = { clock, log, maxReceiveBytes, anyAuthority, onFailure };
    const serve = (connection: Duplex) => this.#http2.emit("connection", connection);
    this.#anyAuthority = anyAuthority ? new AnyAuthorityListener({ clock, log, serve }) : undefined;
    this.#http2.on("connection", (socket: Duplex) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#http2.on("session", (session) => this.#track(session));
    this.#http2.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => this.#accept(stream, headers));
  }

  /** Adds a service. Methods without a handler answer Unimplemented. */
  serve<S extends ServiceDefinition>(service: S, handlers: ServiceHandlers<S>): this {
    const byKey = handlers as Readonly<Record<string, Route["handler"] | undefined>>;
    this.#services.add(service.fullName);
    for (const [key, method] of methodsOf(service)) {
      const path = methodPath(service, method);
      const handler = byKey[key]?.bind(handlers);
      this.#routes.set(path, handler && { path, method, handler });
    }
    return this;
  }

  async listen(address: ListenAddress): Promise<Target> {
    this.#leaving = false;
    this.#target = await listenOn(this.#listener, address);
    this.#listener.on("error", this.#options.onFailure);
    return this.#target;
  }

  /**
   * Stops accepting, tells clients to go elsewhere, and resolves when the calls in flight are answered and the connections closed, by us
   * if their clients do not. It waits for handlers as long as they take, for clients it does not.
   */
  async shutdown(): Promise<void> {
    const closed = this.#stopListening();
    for (const session of this.#sessions.keys()) session.close();
    const lastRequests = this.#options.clock.after(goodbyeMs, () => this.#refuseUnfinished());
    while (this.#calls.size > 0) await Promise.all(this.#calls.values());
    lastRequests.cancel();
    const goodbye = this.#options.clock.after(goodbyeMs, () => this.#hangUp());
    await closed;
    goodbye.cancel();
  }

  /** Drops every connection in the middle of whatever it does, as a crash would. */
  async kill(): Promise<void> {
    this.#hangUp();
    await this.#stopListening();
  }

  get #listener(): Server {
    return this.#anyAuthority?.server ?? this.#http2;
  }

  #refuseUnfinished(): void {
    for (const stream of this.#calls.keys()) if (!stream.readableEnded) sendStatus(stream, shuttingDown);
  }

  #hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #stopListening(): Promise<void> {
    this.#leaving = true;
    this.#anyAuthority?.dropSilent();
    return new Promise((resolve) => {
      if (!this.#listener.listening) resolve();
      else this.#listener.close(() => resolve());
    });
  }

  #track(session: ServerHttp2Session): void {
    this.#sessions.set(session, { number: ++this.#connections, destroy: () => session.destroy() });
    session.on("close", () => this.#sessions.delete(session));
    session.on("error", (error) => this.#options.log.v(5).info("gRPC client connection failed", { err: error.message }));
  }

  #accept(stream: ServerHttp2Stream, headers: IncomingHttpHeaders & { ":method"?: string; ":path"?: string }): void {
    stream.on("error", () => {});
    if (headers[":method"] !== "POST") {
      refuseHttp(stream, 405);
      return;
    }
    if (!isGrpcContentType(headers["content-type"])) {
      refuseHttp(stream, 415);
      return;
    }
    if (this.#leaving) {
      stream.resume();
      sendStatus(stream, shuttingDown);
      return;
    }
    const path = headers[":path"] ?? "";
    const route = this.#routes.get(path);
    if (!route) {
      stream.resume();
      sendStatus(stream, this.#unimplemented(path));
      return;
    }
    const connection = stream.session && this.#sessions.get(stream.session);
    if (!connection) return;
    const call = serveCall(stream, headers, route, connection, this.#options).finally(() => this.#calls.delete(stream));
    this.#calls.set(stream, call);
  }

  #unimplemented(path: string): GrpcError {
    const [, service = "", method = ""] = path.split("/");
    if (this.#routes.has(path)) return new GrpcError(Code.Unimplemented, `method ${method} not implemented`);
    const known = this.#services.has(service);
    return new GrpcError(Code.Unimplemented, known ? `unknown method ${method} for service ${service}` : `unknown service ${service}`);
  }
}
