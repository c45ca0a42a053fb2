import { expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock } from "@csi-sidecars/base/testing";
import { workQueueMetrics } from "./queue-metrics.ts";
import { itemExponential } from "./rate-limiters.ts";
import { RateLimitingQueue } from "./rate-limiting-queue.ts";
import { Workers } from "./workers.ts";

function setUp() {
  const clock = new FakeClock();
  const registry = new Registry();
  const metrics = workQueueMetrics(registry);
  const queue = (name: string) =>
    new RateLimitingQueue({ clock, limiter: itemExponential(1_000, 300_000), metrics: metrics.forQueue(name) });
  const lines = async (pattern: RegExp) => (await registry.metrics()).split("\n").filter((line) => pattern.test(line));
  return { clock, queue, lines };
}

test("names, types, stability and buckets", async () => {
  const { queue, lines } = setUp();
  queue("claims");
  expect(await lines(/^# TYPE/)).toEqual([
    "# TYPE workqueue_depth gauge",
    "# TYPE workqueue_unfinished_work_seconds gauge",
    "# TYPE workqueue_longest_running_processor_seconds gauge",
    "# TYPE workqueue_oldest_waiting_seconds gauge",
    "# TYPE workqueue_adds_total counter",
    "# TYPE workqueue_retries_total counter",
    "# TYPE workqueue_failures_total counter",
    "# TYPE workqueue_queue_duration_seconds histogram",
    "# TYPE workqueue_work_duration_seconds histogram",
  ]);
  expect(await lines(/^# HELP workqueue_(depth|adds_total|retries_total)/)).toEqual([
    "# HELP workqueue_depth [BETA] Current depth of workqueue",
    "# HELP workqueue_adds_total [BETA] Total number of adds handled by workqueue",
    "# HELP workqueue_retries_total [BETA] Total number of retries handled by workqueue",
  ]);
  const bounds = (await lines(/^workqueue_work_duration_seconds_bucket/)).map((line) => /le="([^"]+)"/.exec(line)?.[1]);
  // The same rounding as upstream's: bounds of one series must not differ between the two.
  expect(bounds.map(Number)).toEqual([1e-8, 1e-7, 1e-6, 9.999999999999999e-6, 9.999999999999999e-5, 1e-3, 1e-2, 1e-1, 1, 10, Number.NaN]);
});

test("values follow the queue", async () => {
  const { clock, queue, lines } = setUp();
  const claims = queue("claims");
  claims.add("a");
  claims.add("a");
  claims.add("b");
  claims.addAfter("c", 0);
  claims.addRateLimited("d");
  await clock.advance(500);
  claims.take();
  claims.add("a");
  await clock.advance(250);
  expect(await lines(/^workqueue_\w+\{name="claims"\}|_(sum|count)\{/)).toEqual([
    'workqueue_depth{name="claims"} 3',
    'workqueue_unfinished_work_seconds{name="claims"} 0.25',
    'workqueue_longest_running_processor_seconds{name="claims"} 0.25',
    'workqueue_oldest_waiting_seconds{name="claims"} 0.75',
    'workqueue_adds_total{name="claims"} 4',
    'workqueue_retries_total{name="claims"} 2',
    'workqueue_failures_total{name="claims"} 0',
    'workqueue_queue_duration_seconds_sum{name="claims"} 0.5',
    'workqueue_queue_duration_seconds_count{name="claims"} 1',
    'workqueue_work_duration_seconds_sum{name="claims"} 0',
    'workqueue_work_duration_seconds_count{name="claims"} 0',
  ]);
  claims.done("a");
  expect(await lines(/work_duration_seconds_sum/)).toEqual(['workqueue_work_duration_seconds_sum{name="claims"} 0.25']);
});

test("two queues of one name are shown together; one that is shut down no longer counts", async () => {
  const { queue, lines } = setUp();
  const [one, two] = [queue("claims"), queue("claims")];
  one.add("a");
  two.add("a");
  two.add("b");
  expect(await lines(/^workqueue_depth\{/)).toEqual(['workqueue_depth{name="claims"} 3']);
  two.shutDown();
  expect(await lines(/^workqueue_depth\{/)).toEqual(['workqueue_depth{name="claims"} 1']);
});

test("workers count failures", async () => {
  const { clock, queue, lines } = setUp();
  const claims = queue("claims");
  const stop = new AbortController();
  const finished = new Workers({
    queue: claims,
    concurrency: 1,
    reconcile: async () => {
      throw new Error("no");
    },
  }).run(stop.signal);
  claims.add("a");
  await clock.advance(1_000);
  expect(await lines(/^workqueue_failures_total\{/)).toEqual(['workqueue_failures_total{name="claims"} 2']);
  stop.abort();
  await finished;
});
