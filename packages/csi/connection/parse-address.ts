import type { Target } from "../grpc/target.ts";

/**
 * Reads `--csi-address`: `/csi/csi.sock`, `unix:///csi/csi.sock`, `unix:/csi/csi.sock` (as in the KEP), `dns:///host:port`,
 * `host:port`. On Windows also `unix://C:\csi\csi.sock`, which is usual there, `unix:///C:/csi/csi.sock`, the path alone, and
 * `npipe://\\.\pipe\csi` or `npipe:////./pipe/csi`.
 */
export function parseAddress(address: string, platform: NodeJS.Platform = process.platform): Target {
  const path = socketPath(address, platform);
  if (path !== undefined) return { kind: "unix", path };
  if (platform !== "win32" && isPipeUrl.test(address)) {
    throw new Error(`csi-address ${JSON.stringify(address)}: named pipes exist on Windows only; use unix:///path`);
  }
  const hostPort = /^(?:dns:\/\/\/)?(?:\[([^\]]+)\]|([^/:[\]\\]+)):(\d{1,5})$/.exec(address);
  const port = Number(hostPort?.[3]);
  const host = hostPort?.[1] ?? hostPort?.[2];
  if (host === undefined || port > 65_535) {
    const path = platform === "win32" ? "unix://C:\\path\\csi.sock, npipe://\\\\.\\pipe\\name" : "unix:///path";
    throw new Error(`csi-address ${JSON.stringify(address)}: use the absolute path of a socket (/csi/csi.sock), ${path} or host:port`);
  }
  return { kind: "tcp", host, port };
}

const isPipeUrl = /^npipe:/i;
const pipe = /^\\\\[.?]\\pipe\\./i;
const drivePath = /^[a-zA-Z]:[\\/]./;

/** The path of the socket or named pipe that an address names; `undefined` for an address of another kind, or a wrong one. */
export function socketPath(address: string, platform: NodeJS.Platform): string | undefined {
  const path = /^unix:(?:\/\/)?(.+)$/.exec(address)?.[1] ?? (address.startsWith("/") ? address : undefined);
  if (platform !== "win32") return path !== undefined && /[^/]/.test(path) ? path : undefined;
  if (path === undefined) return windowsPath(address);
  if (!/[^/]/.test(path)) return undefined;
  // A URL has a slash before the drive.
  return path.startsWith("/") && drivePath.test(path.slice(1)) ? path.slice(1) : path;
}

function windowsPath(address: string): string | undefined {
  if (drivePath.test(address) || pipe.test(address)) return address;
  if (!isPipeUrl.test(address)) return undefined;
  // What follows is `\\.\pipe\name`, with slashes of either kind, and often without the two in front.
  const name = address
    .slice("npipe:".length)
    .replaceAll("/", "\\")
    .replace(/^\\{2}(?=\\|\.)/, "");
  const path = name.startsWith("\\\\") ? name : `\\\\${name}`;
  return pipe.test(path) ? path : undefined;
}
