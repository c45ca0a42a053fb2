import type { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { ClusterConfig, TlsConfig } from "../config/cluster-config.ts";
import { handshakeClosed, handshakeTimeout } from "./dial-timeout.ts";
import { alternativeNames, expectedName, ServerCertificateError } from "./server-certificate.ts";
import type { TransportErrorKind } from "./transport.ts";

/** What went wrong in a TLS handshake, and what to check; `undefined` for an error that is not about TLS. */
export function diagnoseTls(
  code: string,
  error: unknown,
  config: ClusterConfig,
): readonly [kind: TransportErrorKind, message: string] | undefined {
  switch (code) {
    case "EPROTO":
      return ["tls", diagnoseHandshake(error instanceof Error ? error.message : "", config)];
    case handshakeClosed:
      return ["reset", `the server closed the connection during the TLS handshake (address from ${config.source})`];
    case handshakeTimeout:
      return [
        "timeout",
        `the server accepted the connection, but the TLS handshake did not end within 10 s (address from ${config.source})`,
      ];
  }
  if (/^ERR_(OSSL|BORINGSSL)/.test(code)) return ["tls", `our own certificates cannot be used (${code}); ${ownRemedy(config.tls)}`];
  const certificate = error instanceof ServerCertificateError ? error.certificate : undefined;
  const about = diagnoseCertificate(code, certificate, config);
  if (about) return ["tls", about];
  return /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|CRL_)/.test(code)
    ? ["tls", `the server's certificate was not accepted (${code}); check it and ${authorityField(config.tls)}`]
    : undefined;
}

function diagnoseCertificate(code: string, certificate: X509Certificate | undefined, config: ClusterConfig): string | undefined {
  switch (code) {
    case "CERT_HAS_EXPIRED":
      return `the server's certificate${certificate ? lifetime(certificate, "expired") : ", or one that signed it, has expired"}; renew it, or check this machine's clock`;
    case "CERT_NOT_YET_VALID":
      return `the server's certificate${certificate ? lifetime(certificate, "future") : ", or one that signed it, is not valid yet"}; check this machine's clock`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
    case "HOSTNAME_MISMATCH":
      return wrongName(certificate, config);
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "CERT_SIGNATURE_FAILURE":
    case "CERT_UNTRUSTED":
    case "INVALID_CA": {
      const issuer = certificate ? ` (${oneLine(certificate.issuer)})` : "";
      return `the server's certificate is signed by an authority we do not know${issuer}; ${authorityRemedy(config.tls)}`;
    }
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return `the server's certificate is self-signed and not one that we trust; ${authorityRemedy(config.tls)}`;
    case "INVALID_PURPOSE":
      return "the server's certificate is not meant for servers, or one that signed it is not an authority; issue it from a CA, with the extended key usage serverAuth";
    default:
      return undefined;
  }
}

/** The code stands for the whole chain; the certificate tells whether it is the one concerned. */
function lifetime({ validFromDate, validToDate }: X509Certificate, what: "expired" | "future"): string {
  const now = Date.now();
  if (what === "expired") {
    return validToDate.getTime() < now ? ` expired at ${validToDate.toISOString()}` : " is signed by one that has expired";
  }
  return validFromDate.getTime() > now ? ` is not valid before ${validFromDate.toISOString()}` : " is signed by one that is not valid yet";
}

function wrongName(certificate: X509Certificate | undefined, { tls, server, source }: ClusterConfig): string {
  const name = expectedName(server, tls);
  const names = certificate && namesOf(certificate);
  if (names?.length === 0) {
    return "the server's certificate has no subject alternative names, and its common name does not count; issue one that has the server's names and addresses as SANs";
  }
  if (certificate && isIP(name) && alternativeNames(certificate).dns.includes(name)) {
    return `the server's certificate has ${name} as a DNS name, which does not count for an address; issue one that has it as an IP address SAN`;
  }
  const wrong = names ? `is for ${names.join(", ")}, not for "${name}"` : `is not for "${name}"`;
  return `the server's certificate ${wrong}; correct the address (from ${source}), or set tls-server-name to a name in the certificate`;
}

/** A certificate may have hundreds of names, and says what it wants. */
function namesOf(certificate: X509Certificate): readonly string[] {
  const { dns, ip } = alternativeNames(certificate);
  const names = [...dns, ...ip].map(oneLine);
  return names.length > 10 ? [...names.slice(0, 10), `${names.length - 10} more`] : names;
}

function oneLine(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ", ").slice(0, 200);
}

/** By the name of BoringSSL's error, in which an ALERT comes from the server. */
function diagnoseHandshake(message: string, { tls, server, source }: ClusterConfig): string {
  const own = tls.clientCertificate ? `check ${tls.clientCertificate.cert.field}` : "set client-certificate and client-key of the user";
  const reason = message.slice(message.lastIndexOf(":") + 1);
  switch (reason) {
    case "WRONG_VERSION_NUMBER":
    case "HTTP_REQUEST":
      return `the server does not speak TLS on this port, it may be plain HTTP; check scheme and port of the address (from ${source})`;
    case "TLSV1_ALERT_PROTOCOL_VERSION":
    case "UNSUPPORTED_PROTOCOL":
      return "the server speaks no TLS version that is safe; it must support TLS 1.2 or newer";
    case "TLSV1_ALERT_UNRECOGNIZED_NAME":
      return `the server does not know the name "${expectedName(server, tls)}"; correct the address (from ${source}) or tls-server-name`;
    case "TLSV1_ALERT_CERTIFICATE_REQUIRED":
      return `the server demands a client certificate; ${own}`;
    case "TLSV1_ALERT_UNKNOWN_CA":
      return `the server does not know the authority that signed our client certificate; ${own}`;
    case "SSLV3_ALERT_CERTIFICATE_EXPIRED":
      return `the server says that our client certificate has expired; ${own}`;
    case "SSLV3_ALERT_BAD_CERTIFICATE":
    case "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE":
    case "SSLV3_ALERT_CERTIFICATE_REVOKED":
    case "SSLV3_ALERT_CERTIFICATE_UNKNOWN":
    case "TLSV1_ALERT_ACCESS_DENIED":
      return `the server refused our client certificate (${reason}); ${own}`;
    case "SSLV3_ALERT_HANDSHAKE_FAILURE":
      return `the server found no way to a TLS connection: it may demand a client certificate (${own}) or support no cipher of ours`;
    default:
      return `the TLS handshake failed${reason && ` (${reason})`}; check that an API server listens at the address (from ${source})`;
  }
}

function ownRemedy(tls: TlsConfig): string {
  return `check ${tls.clientCertificate ? `${tls.clientCertificate.cert.field} and ` : ""}${authorityField(tls)}`;
}

function authorityRemedy(tls: TlsConfig): string {
  return tls.ca ? `check ${authorityField(tls)}` : "give the cluster's CA as certificate-authority";
}

function authorityField({ ca }: TlsConfig): string {
  if (!ca) return "certificate-authority";
  return "file" in ca ? `${ca.field} (${ca.file})` : ca.field;
}
