import { type Logger, silentLogger } from "@csi-sidecars/base";
import type { ClusterConfig } from "./cluster-config.ts";
import { type Environment, type Files, systemFiles } from "./files.ts";
import { inClusterConfig } from "./in-cluster.ts";
import { kubeconfigConfig } from "./kubeconfig.ts";
import { parseServer } from "./kubeconfig-cluster.ts";
import { proxyFromEnvironment } from "./proxy.ts";

export interface LoadConfigOptions {
  /** `--kubeconfig` */
  readonly kubeconfig?: string;
  /** `--master`: replaces the kubeconfig's address, or stands alone without credentials. */
  readonly master?: string;
  /** Another context than the kubeconfig's `current-context`. */
  readonly context?: string;
  readonly env: Environment;
  /**
   * When the variable KUBECONFIG counts: where `--kubeconfig` is absent (the default), before `--kubeconfig`
   * (as external-provisioner does), or not at all.
   */
  readonly kubeconfigVariable?: "fallback" | "override" | "ignore";
  readonly files?: Files;
  readonly log?: Logger;
  /** Where the pod's credentials are mounted. */
  readonly serviceAccountDirectory?: string;
}

/**
 * Decides which API server to use and how: a kubeconfig file, an address alone, or the cluster this process runs in.
 * What is given explicitly is used or is an error; there is no fallback. Throws ConfigError.
 */
export function loadConfig(options: LoadConfigOptions): ClusterConfig {
  const { env, master, context, files = systemFiles, log = silentLogger } = options;
  const file = kubeconfigFile(options);
  if (file) return kubeconfigConfig({ ...file, env, files, ...(master && { master }), ...(context && { context }) });
  if (master) return masterConfig(master, env);
  return inClusterConfig(env, files, log, options.serviceAccountDirectory);
}

function kubeconfigFile(options: LoadConfigOptions): { readonly path: string; readonly namedBy: string } | undefined {
  const { kubeconfig, env, kubeconfigVariable = "fallback" } = options;
  const byFlag = kubeconfig ? { path: kubeconfig, namedBy: "--kubeconfig" } : undefined;
  const byVariable = env.KUBECONFIG && kubeconfigVariable !== "ignore" ? { path: env.KUBECONFIG, namedBy: "KUBECONFIG" } : undefined;
  return kubeconfigVariable === "override" ? (byVariable ?? byFlag) : (byFlag ?? byVariable);
}

function masterConfig(master: string, env: Environment): ClusterConfig {
  const server = parseServer({ value: master, where: "--master" }, { secure: false });
  const proxy = proxyFromEnvironment(server, env);
  return {
    source: "--master",
    server,
    tls: { insecure: false },
    credentials: { kind: "none" },
    disableCompression: false,
    ...(proxy && { proxy }),
  };
}
