import { expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { Code, exposition, GrpcError, type HandlerContext } from "@csi-sidecars/csi";
import { auditLog } from "./audit-log.ts";
import { observedService } from "./observed-service.ts";
import { callMetrics, powershellMetrics } from "./server-metrics.ts";
import { serviceFor } from "./service-for.ts";
import { recordedHandlers } from "./testing/recorded-handlers.ts";

type Handler = (request: object, context: Pick<HandlerContext, "signal">) => Promise<object>;

test("calls are counted and timed by the names of go-grpc-middleware, and each is logged", async () => {
  const [clock, registry, log] = [new FakeClock(), new Registry(), recordingLogger()];
  const { handlers } = recordedHandlers({
    getDiskStats: () => Promise.reject(new Error("no such disk: secret")),
    rescan: async () => {
      await clock.advance(2_000);
      return {};
    },
    getDiskState: () => Promise.reject(new GrpcError(Code.DeadlineExceeded, "context deadline exceeded")),
  });
  const service = serviceFor("disk", "v1", handlers, { workingDirs: [] });
  const observed = observedService(service, [callMetrics(registry), auditLog(log, { group: "disk", version: "v1" })], clock);
  const call = (method: string) =>
    (observed.handlers as unknown as Record<string, Handler>)[method]!({ disk_number: 7 }, { signal: new AbortController().signal });

  expect(await exposition(registry)).not.toContain("{");
  await call("rescan");
  await call("rescan");
  await expect(call("getDiskStats")).rejects.toThrow("no such disk");
  await expect(call("getDiskState")).rejects.toThrow("deadline");

  const page = await exposition(registry);
  const series = (method: string) => `grpc_method="${method}",grpc_service="v1.Disk",grpc_type="unary"`;
  for (const line of [
    `grpc_server_started_total{${series("Rescan")}} 2`,
    `grpc_server_handled_total{grpc_code="OK",${series("Rescan")}} 2`,
    `grpc_server_handled_total{grpc_code="Unknown",${series("GetDiskStats")}} 1`,
    `grpc_server_handled_total{grpc_code="DeadlineExceeded",${series("GetDiskState")}} 1`,
    `grpc_server_msg_received_total{${series("GetDiskStats")}} 1`,
    `grpc_server_msg_sent_total{${series("GetDiskStats")}} 1`,
    `grpc_server_handling_seconds_count{${series("Rescan")}} 2`,
    `grpc_server_handling_seconds_sum{${series("Rescan")}} 4`,
  ]) {
    expect(page).toContain(`${line}\n`);
  }
  const buckets = [...page.matchAll(/grpc_server_handling_seconds_bucket\{grpc_method="Rescan".*?le="(.*?)"\} (\d+)/g)];
  expect(buckets.map(([, le, count]) => `${le}: ${count}`).join(", ")).toBe(
    "0.001: 0, 0.01: 0, 0.1: 0, 0.3: 0, 0.6: 0, 1: 0, 3: 2, 6: 2, 9: 2, 20: 2, 30: 2, 60: 2, 90: 2, 120: 2, +Inf: 2",
  );

  expect(log.lines.map(({ message, fields }) => [message, fields])).toEqual([
    ["Call", { group: "disk", version: "v1", method: "Rescan", code: "OK", duration: "2000.0ms" }],
    ["Call", { group: "disk", version: "v1", method: "Rescan", code: "OK", duration: "2000.0ms" }],
    ["Call", { group: "disk", version: "v1", method: "GetDiskStats", code: "Unknown", duration: "0.0ms" }],
    ["Call", { group: "disk", version: "v1", method: "GetDiskState", code: "DeadlineExceeded", duration: "0.0ms" }],
  ]);
});

test("operations of PowerShell are counted by their name", async () => {
  const registry = new Registry();
  const observe = powershellMetrics(registry);
  observe({ op: "disk.list", durationMs: 250, ok: true, code: "OK" });
  observe({ op: "disk.list", durationMs: 250, ok: false, code: "Internal" });
  observe({ op: "volume.format", durationMs: 4_000, ok: true, code: "OK" });
  const page = await exposition(registry);
  for (const line of [
    'csi_proxy_powershell_seconds_count{op="disk.list"} 2',
    'csi_proxy_powershell_seconds_sum{op="disk.list"} 0.5',
    'csi_proxy_powershell_seconds_bucket{op="volume.format",le="3"} 0',
    'csi_proxy_powershell_seconds_bucket{op="volume.format",le="6"} 1',
    'csi_proxy_powershell_errors_total{op="disk.list"} 1',
  ]) {
    expect(page).toContain(`${line}\n`);
  }
  expect(page).not.toContain('errors_total{op="volume.format"}');
});
