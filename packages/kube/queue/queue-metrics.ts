import { Counter, exponentialBuckets, Gauge, Histogram, type Registry } from "@csi-sidecars/base/prometheus";

/** The state of a queue, read at every scrape. */
export interface QueueState {
  readonly depth: number;
  oldestWaitingMs(): number;
  runningMs(): { readonly sum: number; readonly longest: number };
}

/** Where one queue reports to. */
export interface QueueMetrics {
  added(): void;
  taken(waitedSeconds: number): void;
  finished(workedSeconds: number): void;
  /** A delayed or rate limited addition. */
  retried(): void;
  /** A reconcile that threw. */
  failed(): void;
  /** Includes `state` in the gauges until the returned function is called. */
  watch(state: QueueState): () => void;
}

/** The queue metrics of one registry. Queues of the same name share their series, as `claims` does upstream: gauges show the sum. */
export interface WorkQueueMetrics {
  forQueue(name: string): QueueMetrics;
}

const durations = exponentialBuckets(1e-8, 10, 10);

/** Registers the `workqueue_*` metrics with the names, buckets and help texts that dashboards of Kubernetes controllers expect. */
export function workQueueMetrics(registry: Registry): WorkQueueMetrics {
  const states = new Map<string, Set<QueueState>>();
  const labelNames = ["name"] as const;
  const registers = [registry];
  const gauge = (name: string, help: string, read: (queues: Set<QueueState>) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const [queue, queues] of states) this.set({ name: queue }, read(queues));
      },
    });
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string) => new Histogram({ name, help, labelNames, buckets: durations, registers });

  gauge("workqueue_depth", "[BETA] Current depth of workqueue", (queues) => sum(queues, (s) => s.depth));
  gauge(
    "workqueue_unfinished_work_seconds",
    "[BETA] How many seconds of work has done that is in progress and hasn't been observed by work_duration. " +
      "Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases.",
    (queues) => sum(queues, (s) => s.runningMs().sum) / 1000,
  );
  gauge(
    "workqueue_longest_running_processor_seconds",
    "[BETA] How many seconds has the longest running processor for workqueue been running.",
    (queues) => highest(queues, (s) => s.runningMs().longest) / 1000,
  );
  gauge(
    "workqueue_oldest_waiting_seconds",
    "[ALPHA] Age in seconds of the item that waits longest to be taken from workqueue.",
    (queues) => highest(queues, (s) => s.oldestWaitingMs()) / 1000,
  );
  const adds = counter("workqueue_adds_total", "[BETA] Total number of adds handled by workqueue");
  const retries = counter("workqueue_retries_total", "[BETA] Total number of retries handled by workqueue");
  const failures = counter("workqueue_failures_total", "[ALPHA] Total number of items of workqueue whose processing failed");
  const waited = histogram(
    "workqueue_queue_duration_seconds",
    "[BETA] How long in seconds an item stays in workqueue before being requested.",
  );
  const worked = histogram("workqueue_work_duration_seconds", "[BETA] How long in seconds processing an item from workqueue takes.");

  return {
    forQueue(name) {
      const labels = { name };
      for (const c of [adds, retries, failures]) c.inc(labels, 0);
      for (const h of [waited, worked]) h.zero(labels);
      const watched = states.get(name) ?? new Set<QueueState>();
      states.set(name, watched);
      return {
        added: () => adds.inc(labels),
        taken: (seconds) => waited.observe(labels, seconds),
        finished: (seconds) => worked.observe(labels, seconds),
        retried: () => retries.inc(labels),
        failed: () => failures.inc(labels),
        watch(state) {
          watched.add(state);
          return () => watched.delete(state);
        },
      };
    },
  };
}

function sum(queues: Iterable<QueueState>, value: (state: QueueState) => number): number {
  let total = 0;
  for (const state of queues) total += value(state);
  return total;
}

function highest(queues: Iterable<QueueState>, value: (state: QueueState) => number): number {
  let most = 0;
  for (const state of queues) most = Math.max(most, value(state));
  return most;
}
