import { describe, expect, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { itemExponential } from "./rate-limiters.ts";
import { RateLimitingQueue } from "./rate-limiting-queue.ts";
import { blocked, CanceledError, done, type Reconcile, type ReconcileResult, requeueAfter, retry } from "./reconcile-result.ts";
import { Workers, type WorkersOptions } from "./workers.ts";

function setUp(reconcile: Reconcile, options: Partial<WorkersOptions> = {}) {
  const clock = new FakeClock();
  const log = recordingLogger();
  const queue = new RateLimitingQueue({ clock, limiter: itemExponential(1_000, 300_000) });
  const workers = new Workers({ queue, reconcile, clock, log, concurrency: 1, ...options });
  const stop = new AbortController();
  return { clock, log, queue, workers, stop, finished: workers.run(stop.signal) };
}

/** A reconcile whose calls end when the test says so. */
function held() {
  const running = new Map<string, PromiseWithResolvers<ReconcileResult>>();
  const signals: AbortSignal[] = [];
  const reconcile: Reconcile = (key, signal) => {
    if (running.has(key)) throw new Error(`${key} is worked on twice`);
    const work = Promise.withResolvers<ReconcileResult>();
    running.set(key, work);
    signals.push(signal);
    signal.addEventListener("abort", () => work.reject(signal.reason));
    return work.promise.finally(() => running.delete(key));
  };
  return { reconcile, running, signals };
}

describe("what a reconcile returns", () => {
  test("done: the key is forgotten", async () => {
    let failures = 2;
    const seen: number[] = [];
    const { clock, queue, stop, finished } = setUp(async () => {
      seen.push(clock.monotonic());
      if (failures-- > 0) throw new Error("not yet");
      return done;
    });
    queue.add("a");
    await clock.advance(60_000);
    expect(seen).toEqual([0, 1_000, 3_000]);
    expect(queue.numRequeues("a")).toBe(0);
    expect([queue.processing, queue.delayed]).toEqual([0, 0]);
    stop.abort();
    await finished;
  });

  test("a failure is logged with what the key means", async () => {
    const { clock, log, queue, stop, finished } = setUp(
      async () => {
        throw new Error("no");
      },
      { logFields: (key) => ({ claim: `of ${key}` }) },
    );
    queue.add("a");
    await clock.advance(0);
    expect(log.lines[0]).toMatchObject({ message: "Sync failed, will be retried", fields: { claim: "of a", key: "a" } });
    stop.abort();
    await finished;
  });

  test("requeueAfter: called again then, without a failure", async () => {
    const seen: number[] = [];
    const { clock, queue, stop, finished, log } = setUp(async () => {
      seen.push(clock.monotonic());
      return seen.length < 3 ? requeueAfter(7_000) : done;
    });
    queue.add("a");
    await clock.advance(60_000);
    expect(seen).toEqual([0, 7_000, 14_000]);
    expect(log.lines).toEqual([]);
    stop.abort();
    await finished;
  });

  test("requeueAfter with a low priority: whatever else is due by then goes first", async () => {
    const seen: string[] = [];
    const { reconcile, running } = held();
    const { clock, queue, stop, finished } = setUp((key, signal) => {
      seen.push(key);
      if (key === "long") return reconcile(key, signal);
      return Promise.resolve(key === "poll" && seen.length === 1 ? requeueAfter(1_000, "low") : done);
    });
    queue.add("poll");
    await clock.advance(0);
    queue.add("long");
    await clock.advance(1_000);
    queue.add("new");
    running.get("long")?.resolve(done);
    await clock.advance(0);
    expect(seen).toEqual(["poll", "long", "new", "poll"]);
    stop.abort();
    await finished;
  });

  test("blocked: called again when the key is added, and its failures still count", async () => {
    const seen: number[] = [];
    const { clock, queue, stop, finished } = setUp(async () => {
      seen.push(clock.monotonic());
      if (seen.length === 2) return blocked;
      if (seen.length === 4) return done;
      throw new Error("no");
    });
    queue.add("a");
    await clock.advance(60_000);
    expect(seen).toEqual([0, 1_000]);
    queue.add("a");
    await clock.advance(60_000);
    expect(seen).toEqual([0, 1_000, 60_000, 62_000]);
    stop.abort();
    await finished;
  });

  test("retry: called again after the backoff, without an error in the log", async () => {
    const seen: number[] = [];
    const { clock, queue, stop, finished, log } = setUp(async () => {
      seen.push(clock.monotonic());
      return seen.length < 4 ? retry : done;
    });
    queue.add("a");
    await clock.advance(60_000);
    expect(seen).toEqual([0, 1_000, 3_000, 7_000]);
    expect(log.lines).toEqual([]);
    stop.abort();
    await finished;
  });
});

test("failures are logged with key and number, also when thrown before the first await", async () => {
  const { clock, queue, stop, finished, log } = setUp((key) => {
    throw new Error(`no ${key}`);
  });
  queue.add("a");
  await clock.advance(1_500);
  expect(log.lines.map((line) => [line.severity, String(line.error), line.fields])).toEqual([
    ["error", "Error: no a", { key: "a", failures: 1 }],
    ["error", "Error: no a", { key: "a", failures: 2 }],
  ]);
  expect(queue.processing).toBe(0);
  stop.abort();
  await finished;
});

test.each([
  ["by a signal", new DOMException("not leading", "AbortError")],
  ["by an error that says so", new CanceledError("not leading")],
])("work that was canceled %s is retried, and is not a failure", async (_, cause) => {
  let calls = 0;
  const { clock, queue, stop, finished, log } = setUp(async () => {
    if (++calls === 1) throw new Error("not sent", { cause });
    return done;
  });
  queue.add("a");
  await clock.advance(1_500);
  expect(calls).toBe(2);
  expect(log.lines.filter(({ severity }) => severity === "error")).toEqual([]);
  stop.abort();
  await finished;
});

test("an update during processing leads to exactly one more run", async () => {
  const { reconcile, running } = held();
  let runs = 0;
  const { clock, queue, stop, finished } = setUp((key, signal) => {
    runs++;
    return reconcile(key, signal);
  });
  queue.add("a");
  await clock.advance(0);
  for (let i = 0; i < 5; i++) queue.add("a");
  running.get("a")!.resolve(done);
  await clock.advance(0);
  running.get("a")!.resolve(done);
  await clock.advance(0);
  expect(runs).toBe(2);
  stop.abort();
  await finished;
});

test("never more than `concurrency` at a time, and the number can change", async () => {
  const { reconcile, running } = held();
  const { clock, queue, workers, stop, finished } = setUp(reconcile, { concurrency: 2 });
  for (const key of "abcdefgh") queue.add(key);
  const now = async () => {
    await clock.advance(0);
    expect(workers.running).toBe(running.size);
    return [...running.keys()].join("");
  };
  expect(await now()).toBe("ab");
  workers.setConcurrency(4);
  expect(await now()).toBe("abcd");
  workers.setConcurrency(1);
  running.get("a")!.resolve(done);
  running.get("b")!.resolve(done);
  expect(await now()).toBe("cd");
  running.get("c")!.resolve(done);
  running.get("d")!.resolve(done);
  expect(await now()).toBe("e");
  workers.setConcurrency(0);
  running.get("e")!.resolve(done);
  expect(await now()).toBe("");
  workers.setConcurrency(3);
  expect(await now()).toBe("fgh");
  for (const work of running.values()) work.resolve(done);
  stop.abort();
  await finished;
});

describe("stopping", () => {
  test("nothing new is taken, work in progress ends undisturbed", async () => {
    const { reconcile, running, signals } = held();
    const { clock, queue, stop, finished } = setUp(reconcile, { concurrency: 1, drainMs: 5_000 });
    queue.add("a");
    queue.add("b");
    await clock.advance(0);
    stop.abort();
    await clock.advance(4_000);
    expect([...running.keys()]).toEqual(["a"]);
    expect(signals[0]!.aborted).toBe(false);
    running.get("a")!.resolve(done);
    await finished;
    expect(queue.length).toBe(1);
    expect(clock.waiting).toBe(0);
  });

  test("after the drain time the work is aborted, and that is not a failure", async () => {
    const { reconcile } = held();
    const { clock, queue, stop, finished, log } = setUp(reconcile, { drainMs: 5_000 });
    queue.add("a");
    await clock.advance(0);
    stop.abort();
    await clock.advance(5_000);
    await finished;
    expect(queue.processing).toBe(0);
    expect(log.lines.filter((line) => line.severity === "error")).toEqual([]);
  });

  test("abort() ends the work at once, for a lost lease", async () => {
    const { reconcile, signals } = held();
    const { clock, queue, workers, stop, finished } = setUp(reconcile);
    queue.add("a");
    await clock.advance(0);
    stop.abort();
    workers.abort(new Error("leadership lost"));
    await finished;
    expect(String(signals[0]!.reason)).toBe("Error: leadership lost");
  });

  test("idle, paused or not yet started workers stop too", async () => {
    for (const concurrency of [0, 1]) {
      const { clock, stop, finished } = setUp(async () => done, { concurrency });
      await clock.advance(0);
      stop.abort();
      await finished;
    }
    const queue = new RateLimitingQueue({ limiter: itemExponential(1, 1) });
    await new Workers({ queue, reconcile: async () => done, concurrency: 1 }).run(AbortSignal.abort());
  });

  test("a queue that is shut down is worked off first", async () => {
    const seen: string[] = [];
    const { queue, finished } = setUp(async (key) => {
      seen.push(key);
      return done;
    });
    for (const key of "abc") queue.add(key);
    queue.shutDown();
    await finished;
    expect(seen).toEqual(["a", "b", "c"]);
  });
});

test("ten thousand keys that need nothing leave room for timers in between", async () => {
  let turns = 0;
  const { queue, stop, finished } = setUp(async () => done, { concurrency: 10 });
  const count = () => {
    turns++;
    if (queue.length > 0) setImmediate(count);
    else stop.abort();
  };
  for (let i = 0; i < 10_000; i++) queue.add(`key-${i}`);
  setImmediate(count);
  await finished;
  expect(turns).toBeGreaterThan(100);
});
