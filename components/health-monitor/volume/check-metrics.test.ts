import { expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock } from "@csi-sidecars/base/testing";
import { checkMetrics } from "./check-metrics.ts";
import { ClaimConditions } from "./claim-conditions.ts";

function setUp() {
  const [registry, conditions, clock] = [new Registry(), new ClaimConditions(), new FakeClock(1_000_000)];
  const metrics = checkMetrics({ registry, driver: "csi.example.com", conditions, clock });
  /** The samples of a metric, without its prefix. */
  const samples = async (name: string) => {
    const text = await registry.metrics();
    return text.split("\n").filter((line) => line.startsWith(`csi_sidecars_health_monitor_${name}`));
  };
  return { conditions, clock, metrics, samples };
}

const claim = (name: string) => ({ metadata: { namespace: "default", name, uid: `uid-${name}`, resourceVersion: "1" } });

test("abnormal volumes are counted, and named by their claims as long as they are abnormal", async () => {
  const { conditions, samples } = setUp();
  expect(await samples("abnormal_volumes")).toEqual(['csi_sidecars_health_monitor_abnormal_volumes{driver_name="csi.example.com"} 0']);
  conditions.markAbnormal(claim("data"));
  conditions.markAbnormal(claim("logs"));
  expect(await samples("abnormal_volumes")).toEqual(['csi_sidecars_health_monitor_abnormal_volumes{driver_name="csi.example.com"} 2']);
  conditions.markNormal(claim("logs"));
  expect(await samples("claim_abnormal")).toEqual([
    'csi_sidecars_health_monitor_claim_abnormal{driver_name="csi.example.com",namespace="default",persistentvolumeclaim="data"} 1',
  ]);
});

test("at most 100 claims are named; all are counted", async () => {
  const { conditions, samples } = setUp();
  for (let i = 0; i < 250; i++) conditions.markAbnormal(claim(`data-${i}`));
  const named = await samples("claim_abnormal");
  expect(named).toHaveLength(100);
  expect(named.at(-1)).toContain('persistentvolumeclaim="data-99"');
  expect(await samples("abnormal_volumes")).toEqual(['csi_sidecars_health_monitor_abnormal_volumes{driver_name="csi.example.com"} 250']);
});

test("passes tell how long they took, and when the driver last answered", async () => {
  const { clock, metrics, samples } = setUp();
  expect(await samples("last_")).toEqual([]);
  const first = metrics.beginPass();
  await clock.advance(2_500);
  first.succeeded();
  const second = metrics.beginPass();
  await clock.advance(15_000);
  second.failed();
  metrics.checkFailed();
  expect(await samples("last_")).toEqual([
    'csi_sidecars_health_monitor_last_pass_duration_seconds{driver_name="csi.example.com"} 15',
    'csi_sidecars_health_monitor_last_successful_pass_timestamp_seconds{driver_name="csi.example.com"} 1002.5',
  ]);
  expect(await samples("failed_checks_total")).toEqual([
    'csi_sidecars_health_monitor_failed_checks_total{driver_name="csi.example.com"} 1',
  ]);
});
