import type { ListenAddress } from "@csi-sidecars/csi";

/** Reads `--endpoint`: `unix://PATH`, `tcp://HOST:PORT`; anything else is the path of a socket. Without a host it is the loopback. */
export function parseEndpoint(endpoint: string): ListenAddress {
  const [, scheme = "", rest = ""] = /^(unix|tcp):\/\/(.*)$/i.exec(endpoint) ?? [];
  if (scheme.toLowerCase() === "tcp") {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(rest) ?? [];
    if (port === undefined || Number(port) > 65_535) throw new Error(`endpoint ${JSON.stringify(endpoint)}: use tcp://host:port`);
    return { host: bracketed || plain || undefined, port: Number(port) };
  }
  const path = scheme ? rest : endpoint;
  if (path === "") throw new Error(`endpoint ${JSON.stringify(endpoint)}: use unix:///path/csi.sock or tcp://host:port`);
  return { path };
}

/** Reads `--control-endpoint`: the API behind it has no guard of its own but the permissions of its socket. */
export function parseSocket(endpoint: string): ListenAddress {
  const address = parseEndpoint(endpoint);
  if (!("path" in address)) throw new Error("it is a Unix socket only: use unix:///path/control.sock");
  return { ...address, mode: 0o600 };
}
