import { type Dictionary, dictionary, type Logger, messageOf, systemErrorCode } from "@csi-sidecars/base";
import { bunListener, type Listen, type ListenAddress, type Listener, listenerKey, parseListenAddress } from "./listen.ts";
import { type Answer, findRoute, type RouteRequest, type Routes } from "./routes.ts";

/** Routes, the address where they are served, and the flag that sets it. */
export interface HttpEndpoint {
  /** As Go has it; see {@link parseListenAddress}. */
  readonly address: string;
  /** Without dashes. */
  readonly flag: string;
  /** The first that has a path answers it. */
  readonly routes: readonly Routes[];
}

/** The listeners of a process: one for each address, whoever asked for it. */
export interface HttpServer {
  /** Where it listens. */
  readonly addresses: readonly string[];
  close(): void;
}

const notFound: Answer = { status: 404, body: "404 page not found\n" };

/** Listens for all endpoints; those with the same address share a listener. An address that is not available fails with the flag's name. */
export function serveHttp(endpoints: readonly HttpEndpoint[], log: Logger, listen: Listen = bunListener): HttpServer {
  const listeners: Listener[] = [];
  const close = () => {
    for (const listener of listeners) listener.close();
  };
  const groups = Map.groupBy(
    endpoints.map((endpoint) => ({ ...endpoint, at: addressOf(endpoint) })),
    ({ at }) => (at.port === 0 ? at : listenerKey(at)),
  );
  for (const [endpoint, ...others] of groups.values()) {
    if (!endpoint) continue;
    const tables = [endpoint, ...others].flatMap(({ routes }) => routes);
    try {
      const listener = listen(endpoint.at, (request) => answer(tables, request, log));
      listeners.push(listener);
      log.info("HTTP server is listening", { address: listener.address, flag: endpoint.flag });
    } catch (error) {
      close();
      throw new Error(`--${endpoint.flag}: cannot listen on ${endpoint.address}: ${reason(error)}`, { cause: error });
    }
  }
  return { addresses: listeners.map(({ address }) => address), close };
}

function addressOf({ address, flag }: HttpEndpoint): ListenAddress {
  try {
    return parseListenAddress(address);
  } catch (error) {
    throw new Error(`--${flag}: ${reason(error)}`, { cause: error });
  }
}

async function answer(tables: readonly Routes[], request: RouteRequest, log: Logger): Promise<Answer> {
  for (const routes of tables) {
    const route = findRoute(routes, request.path);
    if (!route) continue;
    try {
      return await route(request);
    } catch (error) {
      if (!request.signal.aborted) log.error(error, "Failed to answer a request", { path: request.path });
      return { status: 500, body: `internal server error: ${reason(error)}\n` };
    }
  }
  return notFound;
}

const reasons: Readonly<Dictionary<string>> = dictionary({
  EADDRINUSE: "address already in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine does not have the address",
  EINVAL: "its host is neither an address nor a name that this machine knows",
});

function reason(error: unknown): string {
  return reasons[systemErrorCode(error) ?? ""] ?? messageOf(error);
}
