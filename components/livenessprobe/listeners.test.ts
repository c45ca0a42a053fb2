import { describe, expect, test } from "bun:test";
import { readCommandLine } from "@csi-sidecars/host";
import { runInProcess, startScriptedDriver, step } from "@csi-sidecars/testcluster";
import { livenessprobe } from "./component.ts";
import { healthEndpoint } from "./flags.ts";
import { probeWorld } from "./testing/probe-world.ts";

function settings(argv: string[]) {
  const command = readCommandLine({ form: "individual", name: "livenessprobe", component: livenessprobe }, argv);
  if (command.asks !== "run") throw new Error(JSON.stringify(command));
  return { flags: command.settings.of(livenessprobe), problems: command.settings.problems };
}

describe("where health and metrics are served", () => {
  const all = { address: "0.0.0.0:9808", flag: "health-port", metrics: false };
  for (const { flags, health, metrics } of [
    { flags: [], health: all, metrics: undefined },
    { flags: ["--health-port=9000"], health: { ...all, address: "0.0.0.0:9000" }, metrics: undefined },
    { flags: ["--metrics-address=:8080"], health: all, metrics: { address: ":8080", flag: "metrics-address" } },
    { flags: ["--http-endpoint=:9000"], health: { address: ":9000", flag: "http-endpoint" }, metrics: undefined },
    { flags: ["--http-endpoint=:9000", "--health-port=9808"], health: { address: ":9000", flag: "http-endpoint" }, metrics: undefined },
    { flags: ["--health-port=http"], health: { ...all, address: "0.0.0.0:http" }, metrics: undefined },
  ] as const) {
    test(flags.join(" ") || "no flag", () => {
      const { flags: values, problems } = settings([...flags]);
      expect(problems).toEqual([]);
      expect<unknown>(healthEndpoint(values, { httpEndpoint: "", explicit: () => false })).toEqual(health);
      expect(livenessprobe.ownMetricsEndpoint?.(values)).toEqual(metrics);
    });
  }

  test("the process's own server makes the default port needless, but not one that was asked for", () => {
    const beside = (explicit: boolean) => ({ httpEndpoint: ":8080", explicit: () => explicit });
    expect(healthEndpoint(settings([]).flags, beside(false))).toBeUndefined();
    expect(healthEndpoint(settings(["--health-port=9808"]).flags, beside(true))?.address).toBe("0.0.0.0:9808");
    expect(healthEndpoint(settings(["--health-port=9000"]).flags, beside(true))?.address).toBe("0.0.0.0:9000");
  });
});

describe("a default port that the process's own server makes needless", () => {
  const warnings = (...argv: string[]) => {
    const command = readCommandLine({ form: "all-in-one", name: "csi-sidecars", components: [livenessprobe] }, [
      "--controllers=livenessprobe",
      ...argv,
    ]);
    if (command.asks !== "run") throw new Error(JSON.stringify(command));
    return command.settings.warnings;
  };

  test("is named, with what to do", () => {
    expect(warnings("--http-endpoint=:8080")).toEqual([
      "livenessprobe does not listen on its default port 9808, because --http-endpoint=:8080 serves /healthz: let the driver's liveness probe ask there, or set --livenessprobe-health-port=9808",
    ]);
  });

  test.each([
    [[]],
    [["--http-endpoint=0.0.0.0:9808"]],
    [["--http-endpoint=:8080", "--livenessprobe-http-endpoint=:9808"]],
    [["--http-endpoint=:8080", "--livenessprobe-health-port=9808"]],
    [["--http-endpoint=:8080", "--livenessprobe-health-port=9000"]],
  ])("nothing is said about %p", (argv) => {
    expect(warnings(...argv).filter((text) => text.includes("default port"))).toEqual([]);
  });
});

describe("flags that contradict each other", () => {
  for (const [flags, problem] of [
    [["--http-endpoint=:1", "--health-port=2"], "Only one of `--health-port` and `--http-endpoint` can be explicitly set"],
    [["--http-endpoint=:1", "--metrics-address=:2"], "Only one of `--metrics-address` and `--http-endpoint` can be explicitly set"],
    [["--http-endpoint=:1", "--metrics-path=/healthz"], "--metrics-path=/healthz takes the path"],
  ] as const) {
    test(flags.join(" "), async () => {
      await using run = await runInProcess([livenessprobe], ["--csi-address=/nowhere", ...flags]);
      expect(await run.exit).toBe(1);
      expect(run.output()).toContain(problem);
    });
  }

  test("are named as the all-in-one spells them", async () => {
    const flags = ["--controllers=livenessprobe", "--livenessprobe-http-endpoint=:1", "--livenessprobe-health-port=2"];
    await using run = await runInProcess([livenessprobe], flags, { form: "all-in-one" });
    expect(await run.exit).toBe(1);
    expect(run.output()).toContain("`--livenessprobe-health-port` and `--livenessprobe-http-endpoint`");
  });
});

for (const [what, argv, code] of [
  ["an unknown flag", ["--connection-timeout=1s"], 2],
  ["a bad duration", ["--probe-timeout=3"], 2],
  ["a flag that the program does not have", ["--version"], 2],
  ["help", ["--help"], 0],
  ["an address that cannot be had", ["--http-endpoint=192.0.2.1:80"], 1],
] as const) {
  test(`${what} ends with ${code}`, async () => {
    await using run = await runInProcess([livenessprobe], ["--csi-address=/nowhere", ...argv]);
    expect(await run.exit).toBe(code);
  });
}

test("calls are counted under the driver's name once it is known", async () => {
  await using world = await probeWorld({ name: "named.example.com", script: { Probe: [step.hang] } }, ["--probe-timeout=100ms"]);
  await world.driver.until("the name to be asked", () => world.driver.calls("GetPluginInfo")[0]?.outcome !== undefined);
  expect((await world.get("/metrics"))[1]).not.toContain("csi_sidecars_driver_healthy");
  await world.healthz();
  await world.healthz();
  const [, metrics] = await world.get("/metrics");
  const counts = metrics.split("\n").filter((line) => line.startsWith("csi_sidecar_operations_seconds_count"));
  expect(counts.toSorted()).toEqual([
    'csi_sidecar_operations_seconds_count{driver_name="named.example.com",grpc_status_code="DeadlineExceeded",method_name="/csi.v1.Identity/Probe"} 1',
    'csi_sidecar_operations_seconds_count{driver_name="named.example.com",grpc_status_code="OK",method_name="/csi.v1.Identity/Probe"} 1',
    'csi_sidecar_operations_seconds_count{driver_name="unknown-driver",grpc_status_code="OK",method_name="/csi.v1.Identity/GetPluginInfo"} 1',
  ]);
  expect(metrics).toContain("csi_sidecars_driver_healthy 1");
  expect(metrics).toContain('csi_sidecars_driver_health_checks_total{result="unhealthy"} 1');
  expect(metrics).toContain("process_start_time_seconds");
});

test("a failed connection is not counted as a call", async () => {
  await using world = await probeWorld({ started: false }, ["--probe-timeout=50ms"]);
  await world.healthz();
  expect((await world.get("/metrics"))[1]).not.toContain("csi_sidecar_operations_seconds_count");
});

test("metrics are on their own listener only", async () => {
  await using driver = await startScriptedDriver();
  const flags = [`--csi-address=${driver.address}`, "--health-port=0", "--metrics-address=127.0.0.1:0", "--metrics-path=/numbers"];
  await using run = await runInProcess([livenessprobe], flags);
  const urls = [await run.url(0), await run.url(1)];
  const statuses = await Promise.all(
    urls.flatMap((url) => ["/healthz", "/numbers", "/metrics"].map(async (path) => (await fetch(url + path)).status)),
  );
  expect(statuses).toEqual([200, 404, 404, 404, 200, 404]);
});
