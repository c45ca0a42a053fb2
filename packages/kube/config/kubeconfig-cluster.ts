import { resolve } from "node:path";
import { trimRight } from "@csi-sidecars/base";
import type { CertificateAuthority, ProxyConfig, TlsConfig } from "./cluster-config.ts";
import { base64, ConfigError, flag, list, type Section, section, text } from "./config-fields.ts";
import type { Files } from "./files.ts";
import { readAuthority } from "./pem.ts";
import { parseProxy } from "./proxy.ts";
import { SecretString } from "./secret-string.ts";

/** A parsed entry of `clusters`. */
export interface KubeconfigCluster {
  readonly server: string;
  readonly tls: TlsConfig;
  readonly proxy?: ProxyConfig;
  readonly disableCompression: boolean;
  /** The same as `spec.cluster` of an ExecCredential. */
  readonly execInfo: Readonly<Record<string, unknown>>;
}

export function readCluster(from: Section, options: { base: string; files: Files; master?: string }): KubeconfigCluster {
  const insecure = flag(from, "insecure-skip-tls-verify");
  const ca = authority(from, options.base);
  if (ca && insecure) {
    throw new ConfigError(`${from.where}: insecure-skip-tls-verify and a certificate-authority exclude each other; remove one of them`);
  }
  const caPem = ca && readAuthority(ca, options.files);
  const serverName = text(from, "tls-server-name");
  if (serverName && !/^(?!\.)[\x21-\x7e]+$/.test(serverName)) {
    throw new ConfigError(`${from.where}.tls-server-name: is not a host name; give the name in the server's certificate`);
  }
  const proxyUrl = text(from, "proxy-url");
  const disableCompression = flag(from, "disable-compression");
  const server = parseServer(address(from, options.master), { secure: ca !== undefined || insecure });
  return {
    server,
    tls: { insecure, ...(ca && { ca }), ...(serverName && { serverName }) },
    disableCompression,
    ...(proxyUrl && { proxy: parseProxy(proxyUrl, `${from.where}.proxy-url`) }),
    execInfo: {
      server,
      ...(serverName && { "tls-server-name": serverName }),
      ...(insecure && { "insecure-skip-tls-verify": true }),
      ...(caPem && { "certificate-authority-data": Buffer.from(caPem).toString("base64") }),
      ...(proxyUrl && { "proxy-url": proxyUrl }),
      ...(disableCompression && { "disable-compression": true }),
      config: execExtension(from) ?? null,
    },
  };
}

function address(from: Section, master: string | undefined): { value: string; where: string } {
  if (master) return { value: master, where: "--master" };
  const value = text(from, "server");
  if (!value) throw new ConfigError(`${from.where}.server: is not set; give the API server's URL, like https://10.0.0.1:6443`);
  return { value, where: `${from.where}.server` };
}

function authority(from: Section, base: string): CertificateAuthority | undefined {
  const inline = base64(from, "certificate-authority-data");
  if (inline) return { field: `${from.where}.certificate-authority-data`, pem: new SecretString(inline) };
  const file = text(from, "certificate-authority");
  return file ? { field: `${from.where}.certificate-authority`, file: resolve(base, file) } : undefined;
}

/** The cluster entry's extension for exec plugins. */
function execExtension(from: Section): unknown {
  for (const item of list(from, "extensions")) {
    const { values } = section(item, `${from.where}.extensions[]`);
    if (values.name === "client.authentication.k8s.io/exec") return values.extension;
  }
  return undefined;
}

/**
 * The address of an API server without a slash at the end. The default scheme is `https` if the configuration has TLS settings
 * (`secure`), else `http`.
 */
export function parseServer(given: { readonly value: string; readonly where: string }, options: { readonly secure: boolean }): string {
  const { value, where } = given;
  const hasScheme = value.includes("://");
  const full = hasScheme ? value : `${options.secure ? "https" : "http"}://${value}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (
    !url?.hostname ||
    (url.protocol !== "https:" && url.protocol !== "http:") ||
    url.search ||
    url.hash ||
    (!hasScheme && url.pathname !== "/")
  ) {
    throw new ConfigError(`${where}: must be a URL or a host:port pair, like https://10.0.0.1:6443`);
  }
  if (url.username || url.password) {
    throw new ConfigError(`${where}: must not hold a user name or password; put them into a kubeconfig's users`);
  }
  return `${url.protocol}//${url.host}${trimRight(url.pathname, "/")}`;
}
