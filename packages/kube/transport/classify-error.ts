import { systemErrorCode } from "@csi-sidecars/base";
import type { ClusterConfig } from "../config/cluster-config.ts";
import { redactUrl } from "../config/secret-string.ts";
import { diagnoseTls } from "./classify-tls-error.ts";
import { ResponseError } from "./http1/response-error.ts";
import { TransportError, type TransportErrorKind } from "./transport.ts";

type Verdict = readonly [kind: TransportErrorKind, message: string];

/** Turns an error of the runtime into one that says what happened, with which server, and what to check. */
export function classifyError(error: unknown, config: ClusterConfig): TransportError {
  if (error instanceof TransportError) return error;
  if (error instanceof ResponseError) return new TransportError("other", `${config.server}: ${error.message}`, { cause: error });
  const [kind, message] = diagnose(codeOf(error), error, config);
  return new TransportError(kind, `${config.server}: ${message}`, { cause: error });
}

/** Bun has the code on the error itself, Node on its cause. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return systemErrorCode(error) ?? codeOf(error.cause);
}

function diagnose(code: string, error: unknown, config: ClusterConfig): Verdict {
  const place = config.proxy
    ? `through the proxy ${redactUrl(config.proxy.url)} (${config.proxy.from})`
    : `(address from ${config.source})`;
  if (/^(ENOTFOUND|ENODATA|ESERVFAIL|EAI_|DNS)/.test(code)) {
    return ["dns", `the host name cannot be resolved ${place}; check the name and this machine's DNS`];
  }
  switch (code) {
    case "ECONNREFUSED":
    case "ConnectionRefused":
      return ["refused", `connection refused ${place}; check that the API server runs and listens there`];
    case "EHOSTUNREACH":
    case "ENETUNREACH":
    case "EADDRNOTAVAIL":
    case "FailedToOpenSocket":
      return ["refused", `no connection possible ${place} (${code}); check address, routes and network policies`];
    case "ERR_PROXY_TUNNEL":
    case "UnsupportedProxyProtocol":
      return ["refused", `no connection possible ${place}: ${error instanceof Error ? error.message : code}`];
    case "ECONNRESET":
    case "EPIPE":
    case "ConnectionClosed":
    case "UND_ERR_SOCKET":
      return ["reset", "the connection was closed before the response was complete"];
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
      return ["timeout", `no answer from the network ${place}; check address, routes and network policies`];
    default:
      return diagnoseTls(code, error, config) ?? ["other", `request failed${code && ` (${code})`}`];
  }
}
