import type { Target } from "../grpc/target.ts";

/**
 * Reads `--csi-address`: `/csi/csi.sock`, `unix:///csi/csi.sock`, `unix:/csi/csi.sock` (as in the KEP), `dns:///host:port`,
 * `host:port`. On Windows `unix://C:\csi\csi.sock` is usual.
 */
export function parseAddress(address: string): Target {
  const path = /^unix:(?:\/\/)?(.+)$/.exec(address)?.[1] ?? (address.startsWith("/") ? address : undefined);
  if (path !== undefined && /[^/]/.test(path)) return { kind: "unix", path };
  const hostPort = /^(?:dns:\/\/\/)?(?:\[([^\]]+)\]|([^/:[\]]+)):(\d{1,5})$/.exec(address);
  const port = Number(hostPort?.[3]);
  const host = hostPort?.[1] ?? hostPort?.[2];
  if (host === undefined || port > 65_535) {
    throw new Error(`csi-address ${JSON.stringify(address)}: use the absolute path of a socket (/csi/csi.sock), unix:///path or host:port`);
  }
  return { kind: "tcp", host, port };
}
