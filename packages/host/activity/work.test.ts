import { expect, test } from "bun:test";
import type { Sample } from "./samples.ts";
import { workIn } from "./work.ts";

const sample = (metric: string, labels: Record<string, string>, value: number): Sample => ({ metric, labels, value });
const queue = (name: string, waiting: number, longest: number) => [
  sample("workqueue_depth", { name }, waiting),
  sample("workqueue_longest_running_processor_seconds", { name }, longest),
];

test("queues by how busy they are, leases, the clients that had to wait, and calls that are not answered", () => {
  const work = workIn([
    ...queue("idle", 0, 0),
    ...queue("working", 0, 3),
    ...queue("full", 7, 1),
    sample("workqueue_oldest_waiting_seconds", { name: "full" }, 12),
    sample("workqueue_retries_total", { name: "full" }, 4),
    sample("leader_election_master_status", { name: "csi-sidecars-x" }, 1),
    sample("leader_election_master_status", { name: "other" }, 0),
    sample("csi_sidecars_kube_client_throttled_seconds_total", { client: "attacher" }, 1.5),
    sample("csi_sidecars_kube_client_throttled_seconds_total", { client: "informers" }, 0),
    sample("csi_sidecars_kube_client_throttled_seconds_total", { client: "report" }, 6.5),
    sample("csi_sidecars_driver_calls_in_flight", { method_name: "/csi.v1.Controller/CreateVolume" }, 0),
    sample("csi_sidecars_driver_calls_in_flight", { method_name: "/csi.v1.Controller/DeleteVolume" }, 2),
    sample("csi_sidecars_driver_longest_call_seconds", { method_name: "/csi.v1.Controller/DeleteVolume" }, 40),
  ]);
  expect(work).toEqual({
    queues: [
      { name: "full", waiting: 7, oldestSeconds: 12, longestSeconds: 1, retries: 4, failures: 0 },
      { name: "working", waiting: 0, oldestSeconds: 0, longestSeconds: 3, retries: 0, failures: 0 },
      { name: "idle", waiting: 0, oldestSeconds: 0, longestSeconds: 0, retries: 0, failures: 0 },
    ],
    leases: [
      { name: "csi-sidecars-x", leads: true },
      { name: "other", leads: false },
    ],
    throttled: [{ client: "attacher", seconds: 1.5 }],
    calls: [{ method: "DeleteVolume", count: 2, longestSeconds: 40 }],
  });
});
