import { expect, test } from "bun:test";
import { silentLogger } from "@csi-sidecars/base";
import { FakeClock } from "@csi-sidecars/base/testing";
import { ChangingAvailability } from "@csi-sidecars/csi";
import { done, itemExponential } from "@csi-sidecars/kube";
import { Controller, type ControllerOptions, runAll } from "./controller.ts";

function world(options: Partial<ControllerOptions<string>> = {}, abort?: AbortSignal) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const controller = new Controller(
    { clock, log: silentLogger, ...(abort && { abort }) },
    { name: "test", rateLimiter: itemExponential(100, 1_000), workers: 2, ...options },
  );
  return { clock, stop, controller };
}

/** A cache that syncs when it is told to. */
function cache() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { waitForSync: () => promise, sync: resolve, fail: reject };
}

test("keys that are enqueued before the caches have synced are reconciled afterwards", async () => {
  const claims = cache();
  const { controller, stop } = world({ waitFor: [claims, undefined] });
  controller.enqueue("a");
  const seen: string[] = [];
  const reconciled = Promise.withResolvers<void>();
  const running = controller.run(async (key) => {
    seen.push(key);
    reconciled.resolve();
    return done;
  }, stop.signal);
  await Promise.resolve();
  expect(seen).toEqual([]);
  claims.sync();
  await reconciled.promise;
  expect(seen).toEqual(["a"]);
  stop.abort();
  await running;
});

test("a failed key is retried after its backoff", async () => {
  const { controller, clock, stop } = world();
  let attempts = 0;
  const running = controller.run(async () => {
    attempts++;
    if (attempts === 1) throw new Error("no");
    return done;
  }, stop.signal);
  controller.enqueue("a");
  await clock.advance(99);
  expect(attempts).toBe(1);
  await clock.advance(1);
  expect(attempts).toBe(2);
  stop.abort();
  await running;
});

test("concurrency that is set before or during the run holds", async () => {
  const { controller, stop } = world();
  controller.setConcurrency(1);
  const open = Promise.withResolvers<void>();
  let running = 0;
  let max = 0;
  const work = controller.run(async () => {
    max = Math.max(max, ++running);
    await open.promise;
    running--;
    return done;
  }, stop.signal);
  for (const key of ["a", "b", "c"]) controller.enqueue(key);
  await new Promise((resolve) => setImmediate(resolve));
  expect(max).toBe(1);
  controller.setConcurrency(3);
  await new Promise((resolve) => setImmediate(resolve));
  expect(max).toBe(3);
  open.resolve();
  stop.abort();
  await work;
});

test("a stop waits for work in progress, and aborts what takes longer than the drain time", async () => {
  const { controller, clock, stop } = world({ drainMs: 500 });
  const started = Promise.withResolvers<void>();
  let aborted = false;
  const running = controller.run((_, signal) => {
    started.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        aborted = true;
        reject(signal.reason);
      });
    });
  }, stop.signal);
  controller.enqueue("a");
  await started.promise;
  stop.abort();
  await clock.advance(499);
  expect(aborted).toBe(false);
  await clock.advance(1);
  await running;
  expect(aborted).toBe(true);
});

test("a stop before the caches have synced ends the run and its queue, and nothing is reconciled", async () => {
  const unsynced = {
    waitForSync: (signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  };
  const { controller, stop } = world({ waitFor: [unsynced] });
  const seen: string[] = [];
  controller.enqueue("a");
  const running = controller.run(async (key) => {
    seen.push(key);
    return done;
  }, stop.signal);
  stop.abort();
  await running;
  expect([seen, controller.queue.shuttingDown]).toEqual([[], true]);
});

test("a cache that fails to sync fails the run", async () => {
  const failing = cache();
  const { controller, stop } = world({ waitFor: [failing] });
  failing.fail(new Error("no list"));
  await expect(controller.run(async () => done, stop.signal)).rejects.toThrow("no list");
});

test("parts run as one: a failure counts unless the stop caused it", async () => {
  const stop = new AbortController();
  await expect(runAll([Promise.resolve(), Promise.reject(new Error("no"))], stop.signal)).rejects.toThrow("no");
  stop.abort();
  await runAll([Promise.reject(new Error("aborted"))], stop.signal);
});

test("while the driver is away no key is taken; when it is back those that failed come at once, and without their failures", async () => {
  const driver = new ChangingAvailability();
  const { controller, clock, stop } = world({ driver, rateLimiter: itemExponential(60_000, 600_000) });
  const taken: string[] = [];
  let broken = true;
  const running = controller.run(async (key) => {
    taken.push(key);
    if (broken) throw new Error("the connection was lost");
    return done;
  }, stop.signal);
  controller.enqueue("before");
  await clock.advance(0);
  expect(taken).toEqual([]);
  driver.change(true);
  await clock.advance(0);
  expect(taken).toEqual(["before"]);
  driver.change(false);
  controller.enqueue("meanwhile");
  controller.setConcurrency(5);
  await clock.advance(50_000);
  expect(taken).toEqual(["before"]);
  broken = false;
  driver.change(true);
  await clock.advance(0);
  expect(taken.toSorted()).toEqual(["before", "before", "meanwhile"]);
  expect(controller.queue.numRequeues("before")).toBe(0);
  stop.abort();
  await running;
  driver.change(false);
});

test.each(["together with the stop", "while it drains", "never"])(
  "work in progress is aborted when its context says so: %s",
  async (when) => {
    const abort = new AbortController();
    const { controller, stop } = world({}, abort.signal);
    const started = Promise.withResolvers<AbortSignal>();
    const answer = Promise.withResolvers<void>();
    let ended = false;
    controller.enqueue("a");
    const running = controller.run(async (_, signal) => {
      signal.addEventListener("abort", () => answer.reject(signal.reason));
      started.resolve(signal);
      await answer.promise;
      return done;
    }, stop.signal);
    void running.then(() => {
      ended = true;
    });
    const signal = await started.promise;
    if (when === "together with the stop") abort.abort(new Error("lost"));
    stop.abort();
    await Bun.sleep(0);
    if (when !== "together with the stop") expect([signal.aborted, ended]).toEqual([false, false]);
    if (when === "while it drains") abort.abort(new Error("lost"));
    if (when === "never") answer.resolve();
    await running;
    expect(signal.reason?.message).toBe(when === "never" ? undefined : "lost");
  },
);
