import type { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { systemErrorCode } from "@csi-sidecars/base";
import type { TlsSettings } from "./tls-reloader.ts";

/** The server's certificate is not accepted. */
export class ServerCertificateError extends Error {
  override readonly name = "ServerCertificateError";
  /** OpenSSL's code, or Node's for a wrong name. */
  readonly code: string;
  readonly certificate: X509Certificate | undefined;

  constructor(code: string, message: string, certificate: X509Certificate | undefined) {
    super(message);
    this.code = code;
    this.certificate = certificate;
  }
}

/** The DNS name or IP address that the server's certificate must be for. */
export function expectedName(server: string, { serverName }: { readonly serverName?: string | undefined }): string {
  return serverName ?? new URL(server).hostname.replace(/^\[|\]$/g, "");
}

/** What to send as server name indication: RFC 6066 allows neither an address nor a trailing dot there. */
export function serverNameIndication(name: string): string {
  const host = withoutTrailingDot(name);
  return isIP(host) ? "" : host;
}

const withoutTrailingDot = (name: string) => name.replace(/\.$/, "");

const wrongName = "ERR_TLS_CERT_ALTNAME_INVALID";

/** Judges a certificate by its subject alternative names alone: as in Go, the common name does not count. */
export function checkServerName(name: string, certificate: X509Certificate): ServerCertificateError | undefined {
  const matches = isIP(name) ? certificate.checkIP(name) !== undefined : matchesHost(withoutTrailingDot(name), certificate);
  return matches ? undefined : new ServerCertificateError(wrongName, `certificate is not for ${name}`, certificate);
}

/** OpenSSL takes a name with a leading dot for any subdomain, and refuses a wildcard above a single label, which Go accepts. */
function matchesHost(name: string, certificate: X509Certificate): boolean {
  if (name.startsWith(".")) return false;
  if (certificate.checkHost(name, { subject: "never", partialWildcards: false }) !== undefined) return true;
  const parent = /^[\w-]+\.([\w-]+)$/.exec(name)?.[1];
  return parent !== undefined && alternativeNames(certificate).dns.some((san) => san.toLowerCase() === `*.${parent.toLowerCase()}`);
}

/** The names that a certificate is for. A comma inside of a name is escaped there. */
export function alternativeNames({ subjectAltName }: X509Certificate): { readonly dns: readonly string[]; readonly ip: readonly string[] } {
  const entries = (subjectAltName ?? "").split(", ");
  const ofKind = (prefix: string) => entries.flatMap((entry) => (entry.startsWith(prefix) ? entry.slice(prefix.length) : []));
  return { dns: ofKind("DNS:"), ip: ofKind("IP Address:") };
}

/** What the runtime says about a handshake that has ended. */
export interface Handshake {
  /** Why it failed, or why the runtime would refuse the certificate. */
  readonly error: Error | null | undefined;
  /** Undefined when it failed before the server sent one. */
  readonly certificate: X509Certificate | undefined;
}

/** Why a connection must not be used; `undefined` when the handshake succeeded and the server is the one we want. */
export function refusalOf({ error, certificate }: Handshake, name: string, { insecure }: TlsSettings): Error | undefined {
  const code = error ? (systemErrorCode(error) ?? "") : undefined;
  if (error && (code === "" || code === "EPROTO" || code === "ECONNRESET")) return error;
  if (insecure) return undefined;
  // The runtime reports the chain before the name, and judges the name by rules of its own.
  if (error && code !== undefined && code !== wrongName) return new ServerCertificateError(code, error.message, certificate);
  if (!certificate) return error ?? new ServerCertificateError("ERR_TLS_NO_CERTIFICATE", "the server sent no certificate", undefined);
  return checkServerName(name, certificate);
}
