import { type Logger, messageOf, systemErrorCode } from "@csi-sidecars/base";
import { bunListener, type Listen, type Listener } from "./bun-listener.ts";
import { type ListenAddress, listenerKey, parseListenAddress } from "./listen-address.ts";
import type { Mux } from "./mux.ts";
import type { Answer, RouteRequest } from "./routes.ts";

/** Paths to be served somewhere, and the flag that said where. */
export interface Site {
  /** As Go has it; see {@link parseListenAddress}. */
  readonly address: string;
  /** Without dashes. */
  readonly flag: string;
  /** Asked in their order. */
  readonly paths: readonly Mux[];
}

/** The listeners of a process: one for each address, whoever asked for it. */
export interface HttpServer {
  /** Where it listens. */
  readonly addresses: readonly string[];
  close(): void;
}

const notFound: Answer = { status: 404, body: "404 page not found\n" };

/** Listens for all sites; sites with the same address share a listener. An address that cannot be had fails with the flag's name. */
export function serveSites(sites: readonly Site[], log: Logger, listen: Listen = bunListener): HttpServer {
  const listeners: Listener[] = [];
  const close = () => {
    for (const listener of listeners) listener.close();
  };
  const groups = Map.groupBy(
    sites.map((site) => ({ ...site, at: addressOf(site) })),
    ({ at }) => (at.port === 0 ? at : listenerKey(at)),
  );
  for (const [site, ...others] of groups.values()) {
    if (!site) continue;
    const muxes = [site, ...others].flatMap(({ paths }) => paths);
    try {
      const listener = listen(site.at, (request) => answer(muxes, request, log));
      listeners.push(listener);
      log.info("HTTP server is listening", { address: listener.address, flag: site.flag });
    } catch (error) {
      close();
      throw new Error(`--${site.flag}: cannot listen on ${site.address}: ${reason(error)}`, { cause: error });
    }
  }
  return { addresses: listeners.map(({ address }) => address), close };
}

function addressOf({ address, flag }: Site): ListenAddress {
  try {
    return parseListenAddress(address);
  } catch (error) {
    throw new Error(`--${flag}: ${reason(error)}`, { cause: error });
  }
}

async function answer(muxes: readonly Mux[], request: RouteRequest, log: Logger): Promise<Answer> {
  for (const mux of muxes) {
    const route = mux.find(request.path);
    if (!route) continue;
    try {
      return await route(request);
    } catch (error) {
      if (!request.signal.aborted) log.error(error, "Could not answer a request", { path: request.path });
      return { status: 500, body: `internal server error: ${reason(error)}\n` };
    }
  }
  return notFound;
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "address already in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine does not have the address",
  EINVAL: "its host is neither an address nor a name that this machine knows",
};

function reason(error: unknown): string {
  return reasons[systemErrorCode(error) ?? ""] ?? messageOf(error);
}
