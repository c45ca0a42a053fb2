import { systemErrorCode } from "@csi-sidecars/base";
import type { ClusterConfig } from "../config/cluster-config.ts";
import { redactUrl } from "../config/secret-string.ts";
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
    case "ZlibError":
    case "Z_BUF_ERROR":
    case "Z_DATA_ERROR":
      return ["reset", "the connection was closed before the response was complete"];
    case "ETIMEDOUT":
    case "UND_ERR_CONNECT_TIMEOUT":
      return ["timeout", `no answer from the network ${place}; check address, routes and network policies`];
    default:
      return diagnoseTls(code, config) ?? ["other", `request failed${code && ` (${code})`}`];
  }
}

function diagnoseTls(code: string, { tls, server }: ClusterConfig): Verdict | undefined {
  const host = tls.serverName ?? new URL(server).hostname;
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return ["tls", "the server's certificate, or one that signed it, has expired; renew it, or check this machine's clock"];
    case "CERT_NOT_YET_VALID":
      return ["tls", "the server's certificate is not valid yet; check this machine's clock"];
    case "ERR_TLS_CERT_ALTNAME_INVALID":
    case "HOSTNAME_MISMATCH":
      return [
        "tls",
        `the server's certificate is not for "${host}"; correct the address, or set tls-server-name to a name in the certificate`,
      ];
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "CERT_SIGNATURE_FAILURE":
    case "CERT_UNTRUSTED":
    case "INVALID_CA":
      return ["tls", `the server's certificate is signed by an authority we do not know; ${authorityRemedy(tls.ca)}`];
    case "EPROTO":
      return ["tls", "the TLS handshake failed; check that the server speaks TLS on this port and whether it demands a client certificate"];
    default:
      return /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|CRL_)/.test(code)
        ? ["tls", `the server's certificate was not accepted (${code})`]
        : undefined;
  }
}

function authorityRemedy(ca: ClusterConfig["tls"]["ca"]): string {
  if (!ca) return "give the cluster's CA as certificate-authority";
  return `check ${"file" in ca ? `${ca.field} (${ca.file})` : ca.field}`;
}
