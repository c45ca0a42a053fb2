import { Counter, type Registry } from "@csi-sidecars/base/prometheus";

/**
 * `csi_sidecars_kube_client_throttled_seconds_total`: which client waits for its own limit, and how much. client-go's families only
 * know the server's address, which all clients of a process share.
 */
export function throttledSeconds(registry: Registry) {
  const counter = new Counter({
    name: "csi_sidecars_kube_client_throttled_seconds_total",
    help: "Seconds that requests waited for the client's own limit (--kube-api-qps, --kube-api-burst).",
    labelNames: ["client"],
    registers: [registry],
  });
  return (client: string) => {
    const child = counter.labels(client);
    child.inc(0);
    return (seconds: number): void => {
      if (seconds > 0) child.inc(seconds);
    };
  };
}
