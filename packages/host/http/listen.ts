import { systemErrorCode } from "@csi-sidecars/base";
import type { Answer, RouteRequest } from "./routes.ts";

/** Where to listen. An empty host means every address of the machine. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Reads an address as Go's `net.Listen` does: `host:port`, `:port`, `[::1]:port`. */
export function parseListenAddress(address: string): ListenAddress {
  const [, bracketed, plain = "", digits = ""] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(address) ?? [];
  const port = digits === "" ? Number.NaN : Number(digits);
  if (!(port <= 65_535))
    throw new Error(`${JSON.stringify(address)} is not an address to listen on: use host:port, :port or [ipv6]:port, the port as a number`);
  return { host: bracketed ?? plain, port };
}

/** Equal for addresses that one listener serves. */
export function listenerKey({ host, port }: ListenAddress): string {
  return `${wildcards.has(host) ? "" : host}:${port}`;
}

const wildcards = new Set(["", "0.0.0.0", "::"]);

/** `127.0.0.1:8080`, `[::1]:8080`. */
function formatAddress({ host, port }: ListenAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** A socket that answers. */
export interface Listener {
  /** With the port it got where it asked for any. */
  readonly address: string;
  close(): void;
}

export type Answerer = (request: RouteRequest) => Promise<Answer>;
export type Listen = (address: ListenAddress, answer: Answerer) => Listener;

/** How long a request and its answer may take: a CPU profile of the usual 30 s must fit. */
const idleSeconds = 120;

/** Listens with Bun's own server, which takes the least memory and CPU. */
export const bunListener: Listen = ({ host, port }, answer) => {
  const serve = (hostname: string) =>
    Bun.serve({
      hostname,
      port,
      idleTimeout: idleSeconds,
      async fetch(request) {
        const { pathname: path, searchParams: query } = new URL(request.url);
        const { status, body, contentType } = await answer({ method: request.method, path, query, signal: request.signal });
        return new Response(body, {
          status,
          headers: { "content-type": contentType ?? "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
        });
      },
      error: () => new Response("internal server error\n", { status: 500 }),
    });
  const server = host === "" ? dualStack(serve) : serve(host);
  return {
    address: formatAddress({ host: host === "" ? "" : (server.hostname ?? host), port: server.port ?? port }),
    close: () => void server.stop(true),
  };
};

/** Every address of the machine, also where its kernel has no IPv6. */
function dualStack<T>(serve: (hostname: string) => T): T {
  try {
    return serve("::");
  } catch (error) {
    if (systemErrorCode(error) === "EADDRINUSE") throw error;
    return serve("0.0.0.0");
  }
}
