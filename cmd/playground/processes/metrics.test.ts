import { expect, test } from "bun:test";
import { readMetrics, requestRate } from "./metrics.ts";

test("memory, requests and abnormal claims are read from metrics", () => {
  const text = [
    "# HELP process_resident_memory_bytes Resident memory size in bytes.",
    "process_resident_memory_bytes 5.6e+07",
    'rest_client_requests_total{code="200",method="GET",host="127.0.0.1:6443"} 3',
    'rest_client_requests_total{code="409",method="PUT",host="a b"} 4',
    "rest_client_requests_total_other 100",
    'csi_sidecars_health_monitor_claim_abnormal{driver_name="d",namespace="default",persistentvolumeclaim="data"} 1',
    "",
  ].join("\n");
  expect(readMetrics(text)).toEqual({ memory: 56_000_000, requests: 7, abnormalClaims: new Set(["default/data"]) });
  expect(readMetrics("")).toEqual({ memory: undefined, requests: 0, abnormalClaims: new Set() });
});

test("the rate of requests is that of the last five seconds, and of one process", () => {
  const rate = requestRate();
  const seen: (readonly [at: number, total: number | undefined, perSecond: number])[] = [
    [0, 100, 0],
    [1_000, 110, 2],
    [5_000, 110, 2],
    [6_000, 110, 0],
    [7_000, undefined, 0],
    [8_000, 5, 0],
    [9_000, 15, 2],
    [10_000, 2, 0],
    [11_000, 4, 0.4],
  ];
  expect(seen.map(([at, total]) => rate(at, total))).toEqual(seen.map(([, , perSecond]) => perSecond));
});
