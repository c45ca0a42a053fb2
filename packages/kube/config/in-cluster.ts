import { isIPv6 } from "node:net";
import type { Logger } from "@csi-sidecars/base";
import type { CertificateAuthority, ClusterConfig } from "./cluster-config.ts";
import { ConfigError } from "./config-fields.ts";
import { type Environment, type Files, readNamedFile, systemFiles } from "./files.ts";
import { readAuthority } from "./pem.ts";
import { proxyFromEnvironment } from "./proxy.ts";

/** Where Kubernetes mounts a pod's credentials. */
export const serviceAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The API server of the cluster this process runs in, with the pod's service account. */
export function inClusterConfig(env: Environment, files: Files, log: Logger, directory: string = serviceAccountDirectory): ClusterConfig {
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  if (!host || !port) {
    throw new ConfigError(
      "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined; outside a pod, name a file with --kubeconfig",
    );
  }
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  if (!URL.canParse(server)) {
    throw new ConfigError(
      `in-cluster configuration: KUBERNETES_SERVICE_HOST="${host}" and KUBERNETES_SERVICE_PORT="${port}" make no address`,
    );
  }
  const tokenFile = `${directory}/token`;
  const field = "in-cluster configuration";
  readNamedFile(files, tokenFile, field, "check that automountServiceAccountToken is not off");
  const ca = { field, file: `${directory}/ca.crt`, optional: true };
  warnAboutBrokenAuthority(ca, files, log);
  const proxy = proxyFromEnvironment(server, env);
  return {
    source: "the pod's service account",
    server,
    tls: { ca, insecure: false },
    credentials: { kind: "tokenFile", file: tokenFile },
    disableCompression: false,
    ...(proxy && { proxy }),
  };
}

function warnAboutBrokenAuthority(ca: CertificateAuthority, files: Files, log: Logger): void {
  try {
    readAuthority(ca, files);
  } catch (error) {
    log.error(error, "Expected to load root CA config, but got an error; the system's certificate authorities are used");
  }
}

/** The namespace this process runs in: `POD_NAMESPACE`, else that of the pod's service account, else `default`. */
export function namespaceOf(env: Environment, files: Files = systemFiles, directory: string = serviceAccountDirectory): string {
  return env.POD_NAMESPACE || readTrimmed(files, `${directory}/namespace`) || "default";
}

function readTrimmed(files: Files, path: string): string | undefined {
  try {
    return files.read(path).trim();
  } catch {
    return undefined;
  }
}
