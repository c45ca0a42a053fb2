import { Counter, Histogram, type Registry } from "@csi-sidecars/base/prometheus";
import type { OperationObserver } from "../powershell/observed-executor.ts";
import type { CallObserver } from "./observed-service.ts";

const callLabels = ["grpc_type", "grpc_service", "grpc_method"] as const;

/** The metrics of calls by the names that go-grpc-middleware gives them. A series appears with its first call. */
export function callMetrics(registry: Registry): CallObserver {
  const registers = [registry];
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames: callLabels, registers });
  const started = counter("grpc_server_started_total", "Total number of RPCs started on the server.");
  const received = counter("grpc_server_msg_received_total", "Total number of RPC messages received on the server.");
  const sent = counter("grpc_server_msg_sent_total", "Total number of RPC messages sent by the server.");
  const handled = new Counter({
    name: "grpc_server_handled_total",
    help: "Total number of RPCs completed on the server, regardless of success or failure.",
    labelNames: [...callLabels, "grpc_code"],
    registers,
  });
  const seconds = new Histogram({
    name: "grpc_server_handling_seconds",
    help: "Histogram of the time that RPCs took on the server.",
    labelNames: callLabels,
    buckets: [0.001, 0.01, 0.1, 0.3, 0.6, 1, 3, 6, 9, 20, 30, 60, 90, 120],
    registers,
  });
  const labels = (service: string, method: string) => ({ grpc_type: "unary", grpc_service: service, grpc_method: method });
  return {
    started(service, method) {
      started.inc(labels(service, method));
      received.inc(labels(service, method));
    },
    handled({ service, method, code, durationMs }) {
      const series = labels(service, method);
      handled.inc({ ...series, grpc_code: code });
      // A failed call counts as well, as it does upstream.
      sent.inc(series);
      seconds.observe(series, durationMs / 1_000);
    },
  };
}

/** How long PowerShell takes, and how often it fails, for each operation. */
export function powershellMetrics(registry: Registry): OperationObserver {
  const seconds = new Histogram({
    name: "csi_proxy_powershell_seconds",
    help: "How long operations in PowerShell took, with the wait for their turn.",
    labelNames: ["op"],
    buckets: [0.01, 0.05, 0.1, 0.3, 0.6, 1, 3, 6, 9, 20, 30, 60, 90, 120],
    registers: [registry],
  });
  const errors = new Counter({
    name: "csi_proxy_powershell_errors_total",
    help: "How many operations in PowerShell failed.",
    labelNames: ["op"],
    registers: [registry],
  });
  return ({ op, durationMs, ok }) => {
    seconds.observe({ op }, durationMs / 1_000);
    if (!ok) errors.inc({ op });
  };
}
