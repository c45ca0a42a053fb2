import { Gauge, type Registry } from "@csi-sidecars/base/prometheus";
import type { Outage } from "./plan-node.ts";

/** What operators can alert on. Upstream has nothing of the kind. */
export function nodeMetrics(registry: Registry, driver: string, outages: ReadonlyMap<string, Outage>): void {
  new Gauge({
    name: "csi_sidecars_health_monitor_failed_nodes",
    help: "[ALPHA] Nodes that have failed while their pods use volumes of the driver",
    labelNames: ["driver_name"],
    registers: [registry],
    collect() {
      const failed = [...outages.values()].filter(({ told }) => told.size > 0);
      this.set({ driver_name: driver }, failed.length);
    },
  });
}
