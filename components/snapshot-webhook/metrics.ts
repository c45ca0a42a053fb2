import { Counter, type Registry } from "@csi-sidecars/base/prometheus";

/** Counts what was answered. */
export function requestMetrics(registry: Registry): (path: string, status: number) => void {
  const requests = new Counter({
    name: "csi_sidecars_webhook_requests_total",
    help: "Answered requests of the webhooks by path and HTTP status.",
    labelNames: ["path", "status"],
    registers: [registry],
  });
  return (path, status) => requests.inc({ path, status });
}
