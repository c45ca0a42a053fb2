import { Counter, Gauge, type Registry } from "@csi-sidecars/base/prometheus";
import type { ProbeResult } from "./probe-driver.ts";

/** Counts what health checks found, beside the histogram of the calls that upstream has. */
export function checkMetrics(registry: Registry): (result: ProbeResult) => void {
  const healthy = new Gauge({
    name: "csi_sidecars_driver_healthy",
    help: "Whether the CSI driver was found healthy when it was last probed.",
    registers: [registry],
  });
  const checks = new Counter({
    name: "csi_sidecars_driver_health_checks_total",
    help: "Answered health checks of the CSI driver by result.",
    labelNames: ["result"],
    registers: [registry],
  });
  return (result) => {
    healthy.set(result.healthy ? 1 : 0);
    checks.inc({ result: result.healthy ? "healthy" : "unhealthy" });
  };
}
