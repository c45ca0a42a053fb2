import type { Sample } from "./samples.ts";

/** A work queue at this moment. */
export interface QueueRow {
  readonly name: string;
  readonly waiting: number;
  readonly oldestSeconds: number;
  /** How long the item that is worked on longest has been. */
  readonly longestSeconds: number;
  readonly retries: number;
  readonly failures: number;
}

export interface LeaseRow {
  readonly name: string;
  readonly leads: boolean;
}

/** How long a client has waited for its own request limit. */
export interface ThrottledRow {
  readonly client: string;
  readonly seconds: number;
}

/** Calls that the driver has not answered. */
export interface CallsRow {
  readonly method: string;
  readonly count: number;
  readonly longestSeconds: number;
}

/** What a process works on and what holds it up, as far as its metrics tell. */
export interface Work {
  readonly queues: readonly QueueRow[];
  readonly leases: readonly LeaseRow[];
  readonly throttled: readonly ThrottledRow[];
  readonly calls: readonly CallsRow[];
}

const queueMetrics = {
  waiting: "workqueue_depth",
  oldestSeconds: "workqueue_oldest_waiting_seconds",
  longestSeconds: "workqueue_longest_running_processor_seconds",
  retries: "workqueue_retries_total",
  failures: "workqueue_failures_total",
} as const;
const leaseMetric = "leader_election_master_status";
const throttledMetric = "csi_sidecars_kube_client_throttled_seconds_total";
const callsMetric = "csi_sidecars_driver_calls_in_flight";
const longestCallMetric = "csi_sidecars_driver_longest_call_seconds";

/** The client of the report at the start, which may wait as long as it likes: it holds nothing up. */
export const reportClient = "report";

/** The metrics that {@link workIn} reads. */
export const workMetrics: readonly string[] = [
  ...Object.values(queueMetrics),
  leaseMetric,
  throttledMetric,
  callsMetric,
  longestCallMetric,
];

/** Busy queues come first, and calls that last longest. */
export function workIn(samples: readonly Sample[]): Work {
  const of = (metric: string) => samples.filter((sample) => sample.metric === metric);
  const names = new Set(of(queueMetrics.waiting).map(({ labels }) => labels.name ?? ""));
  const value = (metric: string, name: string) => of(metric).find(({ labels }) => labels.name === name)?.value ?? 0;
  const queues = [...names].map((name): QueueRow => {
    const entries = Object.entries(queueMetrics).map(([field, metric]) => [field, value(metric, name)]);
    return { name, ...(Object.fromEntries(entries) as Omit<QueueRow, "name">) };
  });
  return {
    queues: queues.sort((a, b) => b.waiting - a.waiting || b.longestSeconds - a.longestSeconds || (a.name < b.name ? -1 : 1)),
    leases: of(leaseMetric).map(({ labels, value: leads }) => ({ name: labels.name ?? "", leads: leads === 1 })),
    throttled: of(throttledMetric)
      .filter(({ labels, value: seconds }) => seconds > 0 && labels.client !== reportClient)
      .map(({ labels, value: seconds }) => ({ client: labels.client ?? "", seconds }))
      .sort((a, b) => b.seconds - a.seconds),
    calls: of(callsMetric)
      .filter(({ value: count }) => count > 0)
      .map(({ labels, value: count }): CallsRow => {
        const path = labels.method_name ?? "";
        const longest = of(longestCallMetric).find((sample) => sample.labels.method_name === path)?.value ?? 0;
        return { method: path.slice(path.lastIndexOf("/") + 1), count, longestSeconds: longest };
      })
      .sort((a, b) => b.longestSeconds - a.longestSeconds),
  };
}
