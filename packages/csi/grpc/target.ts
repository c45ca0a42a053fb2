import { connect, type Socket } from "node:net";
import { type Dictionary, dictionary, messageOf, systemErrorCode } from "@csi-sidecars/base";

/** Where a server listens. */
export type Target =
  | { readonly kind: "unix"; readonly path: string }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };

/** Starts connecting; the outcome comes as the socket's events. */
export function dial(target: Target): Socket {
  return target.kind === "unix" ? connect(target.path) : connect(target.port, target.host);
}

/** The `:authority` of requests to a target. */
export function authorityOf(target: Target): string {
  return target.kind === "unix" ? "localhost" : `${target.host}:${target.port}`;
}

const errnoTexts: Readonly<Dictionary<string>> = dictionary({
  ENOENT: "no such file or directory",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset by peer",
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  ENOTSOCK: "socket operation on non-socket",
});

/** Why connecting failed, in the words people know from Go: `dial unix /csi/csi.sock: connect: connection refused`. */
export function dialErrorText(target: Target, error: unknown): string {
  const where = target.kind === "unix" ? `unix ${target.path}` : `tcp ${target.host}:${target.port}`;
  return `dial ${where}: ${reasonOf(error)}`;
}

function reasonOf(error: unknown): string {
  const known = errnoTexts[systemErrorCode(error) ?? ""];
  return known ? `connect: ${known}` : messageOf(error);
}
