import { expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { until } from "@csi-sidecars/base/testing";
import { PersistentVolume } from "../resources.ts";
import { clientMetrics } from "./client-metrics.ts";
import { clientWorld } from "./testing/client-world.ts";
import { json } from "./testing/scripted-server.ts";

async function linesOf(registry: Registry, name: string): Promise<string[]> {
  const text = await registry.getSingleMetricAsString(name);
  return text.split("\n").filter((line) => line !== "");
}

const host = "10.0.0.1:443";

test("attempts, retries and waits are counted under client-go's names", async () => {
  const registry = new Registry();
  await using world = await clientWorld(
    (_request, response, index) => (index === 0 ? json(response, {}, 429, { "retry-after": "1" }) : json(response, { metadata: {} })),
    { metrics: clientMetrics(registry), host, name: "attacher", qps: 0.5, burst: 1 },
  );
  const patching = world.client.patch(PersistentVolume, { name: "pv" }, { type: "merge", body: { a: "ü" } });
  await until("the pause", () => world.clock.waiting > 0);
  await world.clock.advance(1000);
  await until("the wait for a token", () => world.clock.waiting > 0);
  await world.clock.advance(1000);
  await patching;

  expect(await linesOf(registry, "rest_client_requests_total")).toEqual([
    "# HELP rest_client_requests_total [ALPHA] Number of HTTP requests, partitioned by status code, method, and host.",
    "# TYPE rest_client_requests_total counter",
    `rest_client_requests_total{code="429",method="PATCH",host="${host}"} 1`,
    `rest_client_requests_total{code="200",method="PATCH",host="${host}"} 1`,
  ]);
  expect(await linesOf(registry, "rest_client_request_retries_total")).toContain(
    `rest_client_request_retries_total{code="200",verb="PATCH",host="${host}"} 1`,
  );
  const duration = await linesOf(registry, "rest_client_request_duration_seconds");
  expect(duration).toContain(`rest_client_request_duration_seconds_sum{verb="PATCH",host="${host}"} 2`);
  expect(duration.filter((line) => line.includes("_bucket")).map((line) => /le="([^"]+)"/.exec(line)?.[1])).toEqual([
    "0.005",
    "0.025",
    "0.1",
    "0.25",
    "0.5",
    "1",
    "2",
    "4",
    "8",
    "15",
    "30",
    "60",
    "+Inf",
  ]);
  const limiter = await linesOf(registry, "rest_client_rate_limiter_duration_seconds");
  expect(limiter).toContain(`rest_client_rate_limiter_duration_seconds_sum{verb="PATCH",host="${host}"} 1`);
  expect(limiter).toContain(`rest_client_rate_limiter_duration_seconds_count{verb="PATCH",host="${host}"} 2`);
  expect(await linesOf(registry, "rest_client_request_size_bytes")).toContain(
    `rest_client_request_size_bytes_sum{verb="PATCH",host="${host}"} ${2 * Buffer.byteLength('{"a":"ü"}')}`,
  );
  expect(await linesOf(registry, "rest_client_response_size_bytes")).toContain(
    `rest_client_response_size_bytes_sum{verb="PATCH",host="${host}"} ${'{"metadata":{}}'.length + 2}`,
  );
  expect(await linesOf(registry, "csi_sidecars_kube_client_throttled_seconds_total")).toContain(
    'csi_sidecars_kube_client_throttled_seconds_total{client="attacher"} 1',
  );
});

test("a request without an answer counts as <error>; a watch has no duration", async () => {
  const registry = new Registry();
  await using world = await clientWorld(
    (request, response) => (request.url.includes("watch=true") ? response.end() : response.socket?.destroy()),
    {
      metrics: clientMetrics(registry),
    },
  );
  await world.client.delete(PersistentVolume, { name: "pv" }).catch(() => {});
  await world.client.watch(PersistentVolume, {});
  expect((await linesOf(registry, "rest_client_requests_total")).slice(2)).toEqual([
    'rest_client_requests_total{code="<error>",method="DELETE",host="none"} 1',
    'rest_client_requests_total{code="200",method="GET",host="none"} 1',
  ]);
  expect(await linesOf(registry, "rest_client_request_duration_seconds")).not.toContainEqual(expect.stringContaining('verb="GET"'));
});

test("several clients share the families of one registry", async () => {
  const registry = new Registry();
  const metrics = clientMetrics(registry);
  metrics.bind({ host, name: "a" }).attempted("GET", 200, false);
  metrics.bind({ host, name: "b" }).attempted("GET", 200, false);
  expect((await linesOf(registry, "rest_client_requests_total")).at(-1)).toEndWith(" 2");
  expect(await linesOf(registry, "csi_sidecars_kube_client_throttled_seconds_total")).toHaveLength(4);
});
