import type { Environment } from "./files.ts";
import type { Hidden } from "./hidden.ts";

/** Where one API server is and how to be let in: what a kubeconfig context or the service account of a pod says. */
export interface ClusterConfig {
  /** Where all this was read, for log lines: `kubeconfig "/etc/kube.conf", context "prod"`. */
  readonly source: string;
  /** `https://host:port` and a path below which the API lies, without a slash at the end. */
  readonly server: string;
  readonly tls: TlsConfig;
  readonly credentials: Credentials;
  readonly impersonate?: Impersonation;
  readonly proxy?: ProxyConfig;
  readonly disableCompression: boolean;
  /** The namespace of the kubeconfig's context. */
  readonly namespace?: string;
}

/** How the server is recognised, and the certificate shown to it. */
export interface TlsConfig {
  readonly ca?: CertificateAuthority;
  readonly clientCertificate?: ClientCertificate;
  /** The name to ask for and to find in the server's certificate, where it differs from the address. */
  readonly serverName?: string;
  /** Any certificate of the server will do. */
  readonly insecure: boolean;
}

/** Text given in place, or a file that may be replaced while we run. `field` is what to call it in messages. */
export type Pem = { readonly field: string; readonly pem: Hidden } | { readonly field: string; readonly file: string };

/** `optional`: a file that is missing or broken means the system's own authorities, as long as it is so. */
export type CertificateAuthority = Pem & { readonly optional?: boolean };

export interface ClientCertificate {
  readonly cert: Pem;
  readonly key: Pem;
}

/** How requests prove who they come from, beside the client certificate. */
export type Credentials =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: Hidden }
  /** A file whose content is renewed from outside. `fallback` is sent as long as the file was never readable. */
  | { readonly kind: "tokenFile"; readonly file: string; readonly fallback?: Hidden }
  | { readonly kind: "basic"; readonly username: string; readonly password: Hidden }
  | { readonly kind: "exec"; readonly plugin: ExecPlugin };

/** A program that prints credentials (`users[].user.exec`). */
export interface ExecPlugin {
  readonly apiVersion: ExecApiVersion;
  /** A name to look up in PATH, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** The complete environment of the program but for `KUBERNETES_EXEC_INFO`. */
  readonly env: Environment;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  /** What the user is told when the program is not installed. */
  readonly installHint?: string;
  /** `spec.cluster` of the plugin's input; present if it asked for it. */
  readonly cluster?: Readonly<Record<string, unknown>>;
}

export const execApiVersions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"] as const;
export type ExecApiVersion = (typeof execApiVersions)[number];

/** Acting as somebody else. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface ProxyConfig {
  /** May contain a password: print it only through `withoutPassword`. */
  readonly url: string;
  /** The field or variable it comes from, for messages. */
  readonly from: string;
}
