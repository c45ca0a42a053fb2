import { systemErrorCode } from "@csi-sidecars/base";
import { formatAddress, type ListenAddress } from "./listen-address.ts";
import type { Answer, RouteRequest } from "./routes.ts";

/** A socket that answers. */
export interface Listener {
  /** With the port it got where it asked for any. */
  readonly address: string;
  close(): void;
}

export type Answerer = (request: RouteRequest) => Promise<Answer>;
export type Listen = (address: ListenAddress, answer: Answerer) => Listener;

/** How long a client may take to send a request, and an answer to be made: a CPU profile of the usual 30 s must fit. */
const idleSeconds = 120;

/** Listens with Bun's own server, the smallest there is in memory and CPU. */
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
