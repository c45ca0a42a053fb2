import { stringify } from "yaml";
import type { CertificatePair } from "./certificate-authority.ts";

/** A token or a client certificate. */
export type Credential = { readonly token: string } | CertificatePair;

/** A kubeconfig for kubectl and client libraries, with everything inline. */
export function kubeconfigFor(url: string, caPem: string, credential: Credential): string {
  const name = "testcluster";
  const user =
    "token" in credential
      ? { token: credential.token }
      : { "client-certificate-data": btoa(credential.certPem), "client-key-data": btoa(credential.keyPem) };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: url, "certificate-authority-data": btoa(caPem) } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  });
}
