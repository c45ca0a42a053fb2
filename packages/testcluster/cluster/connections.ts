import { silentLogger, systemClock } from "@csi-sidecars/base";
import { type Client, connect, createClient, loadConfig, type Transport, userAgent } from "@csi-sidecars/kube";

/** Transports to one server, closed together. */
export class Connections {
  readonly #open = new Set<Transport>();
  readonly #kubeconfig: (token: string) => string;

  constructor(kubeconfig: (token: string) => string) {
    this.#kubeconfig = kubeconfig;
  }

  transport(token: string): Transport {
    const text = this.#kubeconfig(token);
    const path = "/kubeconfig";
    const config = loadConfig({ kubeconfig: path, env: {}, files: { read: () => text } });
    const transport = connect(config, { userAgent: userAgent({ name: "testcluster", version: "v0.0.0" }) });
    this.#open.add(transport);
    return transport;
  }

  /** A client without a client-side limit. */
  client(token: string, name: string): Client {
    return createClient({ transport: this.transport(token), clock: systemClock, log: silentLogger, name, qps: -1, burst: 0 });
  }

  close(): void {
    for (const transport of this.#open) transport.close();
    this.#open.clear();
  }
}
