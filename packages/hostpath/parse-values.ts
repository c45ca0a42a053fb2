import { bytesOf, parseQuantity } from "@csi-sidecars/base";
import type { ListenAddress } from "@csi-sidecars/csi";

/** Reads a boolean as Go does (`t`, `True`, `1`); undefined for what is none. */
export function parseBoolean(text: string): boolean | undefined {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(text)) return false;
  return undefined;
}

/** A size that was typed in (`10Gi`, `1.5G`, `1e9`) as bytes, a fraction of a byte rounded up. */
export function quantityBytes(text: string): bigint {
  if (!isSize(text)) throw new Error(`${JSON.stringify(text)} is no quantity; use for example 10Gi, 500M or a number of bytes`);
  return bytesOf(text);
}

function isSize(text: string): boolean {
  try {
    return parseQuantity(text).nano >= 0n;
  } catch {
    return false;
  }
}

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
