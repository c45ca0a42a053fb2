import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect as connectTcp, createServer as createTcpServer, type Server, type Socket } from "node:net";
import type { TestPair } from "./certificates.ts";

/** A server on loopback that dies with the test (`await using`). */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** How many connections were accepted so far. */
  readonly accepted: number;
  /** How many of them are open. */
  readonly open: number;
}

/** HTTPS with `pair`; with `clientCa` it demands a client certificate. */
export function httpsServer(
  pair: TestPair,
  handler: RequestListener,
  options: { readonly clientCa?: string; readonly host?: string } = {},
): Promise<TestServer> {
  const client = options.clientCa ? { ca: options.clientCa, requestCert: true, rejectUnauthorized: true } : {};
  return listen(keepingAlive(createHttpsServer({ cert: pair.cert, key: pair.key, ...client }, handler)), options.host);
}

export function httpServer(handler: RequestListener): Promise<TestServer> {
  return listen(keepingAlive(createHttpServer(handler)));
}

/** A server that speaks no HTTP by itself: `onData` gets what a client sent. */
export function tcpServer(onData: (socket: Socket, data: string) => void): Promise<TestServer> {
  return listen(
    createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (data) => onData(socket, data.toString()));
    }),
  );
}

export interface ProxyServer extends TestServer {
  /** `host:port proxy-authorization` of each tunnel. */
  readonly tunnels: readonly string[];
}

/** A CONNECT proxy that leads every name to loopback, by default 127.0.0.1. */
export async function proxyServer(options: { readonly refuse?: boolean; readonly leadsTo?: string } = {}): Promise<ProxyServer> {
  const tunnels: string[] = [];
  const proxy = createHttpServer();
  proxy.on("connect", (request: IncomingMessage, client: Socket) => {
    tunnels.push(`${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    client.on("error", () => {});
    if (options.refuse) return client.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
    const server = connectTcp(Number(request.url?.split(":").at(-1)), options.leadsTo ?? "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      server.pipe(client).pipe(server);
    });
    server.on("error", () => client.destroy());
    client.on("close", () => server.destroy());
    return undefined;
  });
  return Object.assign(await listen(proxy), { tunnels });
}

/** Leaves it to the client when an idle connection ends. */
function keepingAlive<S extends { keepAliveTimeout: number }>(server: S): S {
  server.keepAliveTimeout = 0;
  return server;
}

async function listen(server: Server, host = "127.0.0.1"): Promise<TestServer> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  server.on("connection", (socket: Socket) => {
    accepted++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    get accepted() {
      return accepted;
    },
    get open() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
