import type { Environment } from "./files.ts";
import type { SecretString } from "./secret-string.ts";

/** The address of an API server and the credentials for it: client-go's rest.Config, from a kubeconfig context or a service account. */
export interface ClusterConfig {
  /** Where it was read from, for log lines: `kubeconfig "/etc/kube.conf", context "prod"`. */
  readonly source: string;
  /** `https://host:port` and the base path of the API, without a slash at the end. */
  readonly server: string;
  readonly tls: TlsConfig;
  readonly credentials: Credentials;
  readonly impersonate?: Impersonation;
  readonly proxy?: ProxyConfig;
  readonly disableCompression: boolean;
  /** The namespace of the kubeconfig's context. */
  readonly namespace?: string;
}

/** How the server is verified, and the client certificate. */
export interface TlsConfig {
  readonly ca?: CertificateAuthority;
  readonly clientCertificate?: ClientCertificate;
  /** The name to ask for and to find in the server's certificate, where it differs from the address. */
  readonly serverName?: string;
  /** The server's certificate is not verified. */
  readonly insecure: boolean;
}

/** Inline text, or a file that may be replaced at any time. `field` names it in messages. */
export type Pem = { readonly field: string; readonly pem: SecretString } | { readonly field: string; readonly file: string };

/** `optional`: while the file is missing or broken, the system's authorities are used. */
export type CertificateAuthority = Pem & { readonly optional?: boolean };

export interface ClientCertificate {
  readonly cert: Pem;
  readonly key: Pem;
}

/** How requests are authenticated, beside the client certificate. */
export type Credentials =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: SecretString }
  /** A file that is renewed from outside. `fallback` is used until the file has been readable once. */
  | { readonly kind: "tokenFile"; readonly file: string; readonly fallback?: SecretString }
  | { readonly kind: "basic"; readonly username: string; readonly password: SecretString }
  | { readonly kind: "exec"; readonly plugin: ExecPlugin };

/** A program that prints credentials (`users[].user.exec`). */
export interface ExecPlugin {
  readonly apiVersion: ExecApiVersion;
  /** A name to look up in PATH, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment of the program except `KUBERNETES_EXEC_INFO`. */
  readonly env: Environment;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  /** The message for the user when the program is not installed. */
  readonly installHint?: string;
  /** `spec.cluster` of the plugin's input; present if `provideClusterInfo` is set. */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

export const execApiVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"] as const;
export type ExecApiVersion = (typeof execApiVersions)[number];

/** Impersonation headers to send. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface ProxyConfig {
  /** May contain a password: print it only through `redactUrl`. */
  readonly url: string;
  /** The field or variable it comes from, for messages. */
  readonly from: string;
}
