import { describe, expect, test } from "bun:test";
import { Counter, Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock } from "@csi-sidecars/base/testing";
import { exposition, expositionType } from "./exposition.ts";
import { type OperationMetricsOptions, operationMetrics, processStartTime } from "./operation-metrics.ts";

const call = { method: "/csi.v1.Identity/GetPluginInfo", status: "OK", seconds: 20 };

function world(options: Omit<OperationMetricsOptions, "registry"> = {}) {
  const registry = new Registry();
  const metrics = operationMetrics({ registry, ...options });
  return {
    registry,
    metrics,
    lines: async (pattern: RegExp) => (await exposition(registry)).split("\n").filter((line) => pattern.test(line)),
  };
}

describe("the histogram of CSI calls", () => {
  test("is written as upstream writes it", async () => {
    const { metrics, registry } = world();
    metrics.setDriver("fake.csi.driver.io");
    metrics.record(call);
    const labels = 'driver_name="fake.csi.driver.io",grpc_status_code="OK",method_name="/csi.v1.Identity/GetPluginInfo"';
    const bucket = (le: string, count: number) => `csi_sidecar_operations_seconds_bucket{${labels},le="${le}"} ${count}\n`;
    const below = ["0.1", "0.25", "0.5", "1", "2.5", "5", "10", "15"].map((le) => bucket(le, 0));
    const above = ["25", "50", "120", "300", "600", "+Inf"].map((le) => bucket(le, 1));
    expect(await exposition(registry)).toBe(
      "# HELP csi_sidecar_operations_seconds [ALPHA] Container Storage Interface operation duration with gRPC error code status total\n" +
        `# TYPE csi_sidecar_operations_seconds histogram\n${below.join("")}${above.join("")}` +
        `csi_sidecar_operations_seconds_sum{${labels}} 20\ncsi_sidecar_operations_seconds_count{${labels}} 1\n`,
    );
  });

  test.each([
    [{}, "# HELP csi_sidecar_operations_seconds [ALPHA] "],
    [{ subsystem: "csi_plugin" }, "# HELP csi_plugin_operations_seconds [ALPHA] "],
    [{ subsystem: "other" }, "# HELP other_operations_seconds [ALPHA] "],
    [{ stability: "BETA" as const }, "# HELP csi_sidecar_operations_seconds [BETA] "],
  ])("%p begins with %s", async (options, beginning) => {
    expect(await exposition(world(options).registry)).toStartWith(beginning);
  });

  test("names an unknown driver until it is known", async () => {
    const { metrics, lines } = world();
    metrics.record({ ...call, status: "InvalidArgument" });
    expect(await lines(/_count/)).toEqual([
      'csi_sidecar_operations_seconds_count{driver_name="unknown-driver",grpc_status_code="InvalidArgument",method_name="/csi.v1.Identity/GetPluginInfo"} 1',
    ]);
  });

  test("says whether a call serves a migrated volume, where the driver replaces an in-tree plugin", async () => {
    const { metrics, lines } = world();
    metrics.record(call);
    metrics.setDriver("ebs.csi.aws.com", { migratable: true });
    metrics.record(call);
    metrics.record({ ...call, migrated: true });
    const rest = 'driver_name="ebs.csi.aws.com",grpc_status_code="OK",method_name="/csi.v1.Identity/GetPluginInfo"';
    expect(await lines(/_count/)).toEqual([
      `csi_sidecar_operations_seconds_count{${rest},migrated="false"} 1`,
      `csi_sidecar_operations_seconds_count{${rest},migrated="true"} 1`,
    ]);
  });

  test("has fixed labels, sorted among the others", async () => {
    const { metrics, lines } = world({ fixedLabels: { zebra: "z", a_label: "a" } });
    metrics.record(call);
    expect((await lines(/_count/))[0]).toBe(
      'csi_sidecar_operations_seconds_count{a_label="a",driver_name="unknown-driver",grpc_status_code="OK",method_name="/csi.v1.Identity/GetPluginInfo",zebra="z"} 1',
    );
  });

  test("has varying labels, accumulated in branches, empty where not given", async () => {
    const { metrics, lines } = world({ varyingLabels: ["a", "b"] });
    const a = metrics.withLabels({ a: "1" });
    metrics.record(call);
    a.record(call);
    a.withLabels({ b: "2" }).record(call);
    a.withLabels({ b: "3" }).record(call);
    const values = (await lines(/_count/)).map((line) => line.match(/\{a="(.*?)",b="(.*?)"/)?.slice(1));
    expect(values).toEqual([
      ["", ""],
      ["1", ""],
      ["1", "2"],
      ["1", "3"],
    ]);
  });

  test("may have a label that every object inherits", async () => {
    const { metrics, lines } = world({ varyingLabels: ["constructor"] });
    metrics.withLabels({ constructor: "1" }).record(call);
    expect((await lines(/_count/))[0]).toStartWith('csi_sidecar_operations_seconds_count{constructor="1",');
  });

  test("refuses labels that were not declared or have a value", () => {
    const { metrics } = world({ varyingLabels: ["a"] });
    expect(() => metrics.withLabels({ x: "1" })).toThrow('label "x" was not defined via WithLabelNames');
    expect(() => metrics.withLabels({ a: "y" }).withLabels({ a: "z" })).toThrow('label "a" already has value "y"');
  });
});

describe("exposition", () => {
  test("escapes what must be, and serves the page when a collector fails", async () => {
    const registry = new Registry();
    new Counter({ name: "good_total", help: "back\\slash\nline", labelNames: ["path"], registers: [registry] }).inc({ path: 'C:\\"x"\n' });
    new Counter({
      name: "bad_total",
      help: "-",
      registers: [registry],
      collect: () => {
        throw new Error("broken");
      },
    });
    const errors: unknown[] = [];
    expect(await exposition(registry, (error) => errors.push(error))).toBe(
      '# HELP good_total back\\\\slash\\nline\n# TYPE good_total counter\ngood_total{path="C:\\\\\\"x\\"\\n"} 1\n',
    );
    expect(errors).toEqual([new Error("broken")]);
  });

  test("over HTTP, with the time the process started", async () => {
    const { metrics, registry } = world();
    metrics.record(call);
    processStartTime(registry, new FakeClock());
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async () => new Response(await exposition(registry), { headers: { "content-type": expositionType } }),
    });
    const response = await fetch(server.url);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    const text = await response.text();
    expect(text).toContain("csi_sidecar_operations_seconds_count{");
    const started = Number(text.match(/^process_start_time_seconds (\S+)$/m)?.[1]);
    expect(Date.UTC(2026, 0, 1) / 1_000 - started).toBeWithin(0, process.uptime());
  });
});
