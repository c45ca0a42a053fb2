import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, connect, createClient, loadConfig, userAgent } from "@csi-sidecars/kube";

/** The API server with the controllers and kubelets around it. */
export interface PlaygroundCluster extends AsyncDisposable {
  /** What runs, in a few words. */
  readonly title: string;
  readonly url: string;
  /** May do everything, without a client-side limit. */
  readonly admin: Client;
  /** A kubeconfig of the {@link sidecarUser}, who may do nothing until a role is bound. */
  readonly sidecarKubeconfig: string;
  /** What is wrong with it at this moment. */
  problem(): string | undefined;
}

/** The user that the sidecar's roles are for: the service account of its pod. */
export const sidecarUser = "system:serviceaccount:default:csi-sidecars";

/** A client of everything that a kubeconfig file gives access to. */
export function openClient(kubeconfig: string): { readonly client: Client } & Disposable {
  const config = loadConfig({ kubeconfig, env: {} });
  const transport = connect(config, { userAgent: userAgent({ name: "playground", version: "v0.0.0" }) });
  const client = createClient({ transport, clock: systemClock, log: silentLogger, name: "playground", qps: -1, burst: 0 });
  return { client, [Symbol.dispose]: () => transport.close() };
}
