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
    throw new Error(`${JSON.stringify(address)} is no address to listen on: use host:port, :port or [ipv6]:port, the port as a number`);
  return { host: bracketed ?? plain, port };
}

/** Equal for addresses that one listener serves. */
export function listenerKey({ host, port }: ListenAddress): string {
  return `${wildcards.has(host) ? "" : host}:${port}`;
}

const wildcards = new Set(["", "0.0.0.0", "::"]);

/** `127.0.0.1:8080`, `[::1]:8080`. */
export function formatAddress({ host, port }: ListenAddress): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
