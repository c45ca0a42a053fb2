import { describe, expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import type { Running } from "../component.ts";
import { aborted } from "../signals.ts";
import { componentMetrics } from "./component-metrics.ts";
import { type ComponentRun, ComponentScopes, scopedClock } from "./component-run.ts";
import { Supervisor } from "./supervisor.ts";

function world({ isOnlyComponent = false, restartLimit = 0 } = {}) {
  const clock = new FakeClock();
  const log = recordingLogger();
  const scopes = new ComponentScopes();
  const registry = new Registry();
  const ends: string[] = [];
  const reports: string[] = [];
  const supervisor = new Supervisor({
    component: "attacher",
    clock,
    log,
    scopes,
    metrics: componentMetrics(registry, ["attacher"]),
    restartLimit,
    stopTimeoutMs: 30_000,
    endsWithProcess: () => isOnlyComponent,
    fail: (reason) => ends.push(reason),
    completed: () => ends.push("completed"),
    onPersistentFailure: (message) => reports.push(message),
  });
  const asked = new AbortController();
  const value = async (name: string) => (await registry.getSingleMetric(`csi_sidecars_controller_${name}`)?.get())?.values[0]?.value;
  return { clock, log, scopes, supervisor, ends, reports, asked, value };
}

const untilAsked = async ({ signal }: ComponentRun): Promise<Running> => ({ done: aborted(signal) });

describe("a component", () => {
  test("runs until it is asked to stop and has ended its work", async () => {
    const { supervisor, asked, clock, value } = world();
    const work = Promise.withResolvers<void>();
    const given: string[] = [];
    const over = supervisor.supervise(async ({ onEnd }) => {
      onEnd(() => given.push("views"));
      onEnd(() => given.push("routes"));
      return { done: work.promise };
    }, asked.signal);
    await clock.advance(0);
    expect([supervisor.state.is, await value("running")]).toEqual(["running", 1]);
    asked.abort();
    await clock.advance(0);
    expect([supervisor.state.is, given]).toEqual(["running", []]);
    work.resolve();
    await over;
    expect([supervisor.state.is, given, await value("running")]).toEqual(["stopped", ["routes", "views"], 0]);
  });

  test("that the driver cannot serve is shown as disabled, until it can", async () => {
    const { supervisor, value } = world();
    expect(await value("enabled")).toBe(1);
    supervisor.disable("no volumes");
    expect([supervisor.state, await value("enabled")]).toEqual([{ is: "disabled", reason: "no volumes" }, 0]);
    supervisor.enable();
    expect(await value("enabled")).toBe(1);
  });

  test("that fails three times to start works the fourth time, after growing delays", async () => {
    const { supervisor, asked, clock, value, ends } = world();
    let starts = 0;
    const over = supervisor.supervise(async (run) => {
      if (++starts <= 3) throw new Error(`no ${starts}`);
      return untilAsked(run);
    }, asked.signal);
    await clock.advance(0);
    expect(supervisor.state).toEqual({ is: "failed", reason: "no 1" });
    for (const [delay, expected] of [
      [1_000, 2],
      [2_000, 3],
      [4_000, 4],
    ] as const) {
      await clock.advance(delay - 1);
      expect(starts).toBe(expected - 1);
      await clock.advance(1);
      expect(starts).toBe(expected);
    }
    expect([supervisor.state.is, await value("restarts_total"), await value("errors_total"), ends]).toEqual(["running", 3, 3, []]);
    asked.abort();
    await over;
  });

  test("that keeps failing is restarted for ever, at most five minutes apart, and says so until it runs", async () => {
    const { supervisor, asked, clock, ends, reports, value } = world();
    let starts = 0;
    const over = supervisor.supervise(async (run) => {
      if (++starts <= 40) throw new Error("broken");
      return untilAsked(run);
    }, asked.signal);
    await clock.advance(7_000);
    expect([starts, supervisor.problem, reports]).toEqual([4, undefined, []]);
    await clock.advance(8_000);
    expect([starts, supervisor.problem, reports]).toEqual([5, "broken", ["controller attacher failed 5 times in a row: broken"]]);
    await clock.advance(16_000 + 32_000 + 64_000 + 128_000 + 256_000);
    expect(starts).toBe(10);
    for (let nth = 11; nth <= 40; nth++) {
      await clock.advance(299_999);
      expect(starts).toBe(nth - 1);
      await clock.advance(1);
      expect([starts, supervisor.state.is, supervisor.problem]).toEqual([nth, "failed", "broken"]);
    }
    expect([reports.length, ends, await value("failed")]).toEqual([1, [], 1]);
    await clock.advance(300_000);
    expect([supervisor.state.is, supervisor.problem, await value("failed")]).toEqual(["running", undefined, 0]);
    asked.abort();
    await over;
  });

  test("that failed and stopped for another reason has no problem", async () => {
    const { supervisor, asked, clock, value } = world();
    const over = supervisor.supervise(async () => Promise.reject(new Error("broken")), asked.signal);
    await clock.advance(600_000);
    asked.abort();
    await over;
    expect([supervisor.state.is, supervisor.problem, await value("failed")]).toEqual(["stopped", undefined, 0]);
  });

  test("that keeps failing ends the process at the limit, if there is one; a run of ten minutes starts the count again", async () => {
    const { supervisor, asked, clock, ends } = world({ restartLimit: 2 });
    const failures: ((error: Error) => void)[] = [];
    void supervisor.supervise(async () => {
      const { promise, reject } = Promise.withResolvers<void>();
      failures.push(reject);
      return { done: promise };
    }, asked.signal);
    const fail = async () => {
      failures.at(-1)?.(new Error("broken"));
      await clock.advance(0);
    };
    await clock.advance(0);
    await fail();
    await clock.advance(1_000);
    await clock.advance(600_000);
    await fail();
    await clock.advance(1_000);
    expect(failures).toHaveLength(3);
    await fail();
    await clock.advance(2_000);
    await fail();
    expect([failures.length, ends]).toEqual([4, ["controller attacher failed too often: broken"]]);
  });

  test("alone ends the process with its failure, or with success when it simply ends", async () => {
    const failing = world({ isOnlyComponent: true });
    await failing.supervisor.supervise(async () => Promise.reject(new Error("no capability")), failing.asked.signal);
    expect(failing.ends).toEqual(["no capability"]);
    const ending = world({ isOnlyComponent: true });
    await ending.supervisor.supervise(async () => ({ done: Promise.resolve() }), ending.asked.signal);
    expect(ending.ends).toEqual(["completed"]);
  });

  test("whose timer throws is stopped, drained and restarted; a late error of the old run harms nobody", async () => {
    const { supervisor, asked, clock, log, value } = world();
    let starts = 0;
    let late: (() => void) | undefined;
    const over = supervisor.supervise(async (run) => {
      if (++starts === 1) {
        scopedClock(clock, run).after(10, () => {
          throw new TypeError("x is undefined");
        });
        late = () => run.call(() => fail("old"));
      }
      return { done: aborted(run.signal) };
    }, asked.signal);
    await clock.advance(10);
    expect(supervisor.state).toEqual({ is: "failed", reason: "x is undefined" });
    await clock.advance(1_000);
    late?.();
    await clock.advance(0);
    expect([starts, supervisor.state.is, await value("restarts_total"), await value("errors_total")]).toEqual([2, "running", 1, 2]);
    expect(log.lines.filter(({ message }) => message === "Unhandled error in controller")).toHaveLength(2);
    asked.abort();
    await over;
  });

  test("that failed and does not stop is not restarted before its work in flight has ended", async () => {
    const { supervisor, asked, clock, ends, reports } = world();
    const work = Promise.withResolvers<void>();
    let starts = 0;
    const over = supervisor.supervise(async (run) => {
      if (++starts > 1) return untilAsked(run);
      scopedClock(clock, run).after(1, () => fail("broken"));
      return { done: work.promise };
    }, asked.signal);
    await clock.advance(3_600_000);
    expect([starts, ends, supervisor.problem]).toEqual([1, [], "broken; its work in flight does not end"]);
    expect(reports).toEqual(["controller attacher failed and did not stop: broken"]);
    work.resolve();
    await clock.advance(1_000);
    expect([starts, supervisor.state.is, supervisor.problem]).toEqual([2, "running", undefined]);
    asked.abort();
    await over;
  });

  test.each([{ restartLimit: 1 }, { isOnlyComponent: true }])("that failed and does not stop ends the process with %j", async (options) => {
    const { supervisor, asked, clock, ends } = world(options);
    void supervisor.supervise(async (run) => {
      scopedClock(clock, run).after(1, () => fail("broken"));
      return { done: new Promise(() => {}) };
    }, asked.signal);
    await clock.advance(30_001);
    expect(ends).toEqual(["controller attacher failed and did not stop"]);
  });
});

describe("an unhandled error", () => {
  const parts = () => {
    const scopes = new ComponentScopes();
    const blamed: string[] = [];
    const scope = (name: string) => scopes.scope(name, (error) => blamed.push(`${name}: ${error}`));
    return { scopes, blamed, a: scope("a"), b: scope("b") };
  };

  test("is a component's if it is thrown in its context", () => {
    const { scopes, blamed, a } = parts();
    expect(scopes.attribute({ kind: "exception", error: "outside" })).toBe(false);
    expect(a.run(() => scopes.attribute({ kind: "exception", error: "inside" }))).toBe(true);
    expect(blamed).toEqual(["a: inside"]);
  });

  test("is a component's if it came out of something that this one alone watched", async () => {
    const { scopes, blamed, a, b } = parts();
    const [own, shared] = [new Error("refused"), new Error("the process ends")];
    for (const watched of [a.watch(Promise.reject(own)), a.watch(Promise.reject(shared)), b.watch(Promise.reject(shared))]) {
      await watched.catch(() => undefined);
    }
    b.run(() => undefined);
    expect([own, shared].map((error) => scopes.attribute({ kind: "rejection", error }))).toEqual([true, false]);
    expect(blamed).toEqual(["a: Error: refused"]);
  });

  test("is nobody's because he ran last", async () => {
    const { scopes, blamed, a } = parts();
    a.run(() => undefined);
    await a.watch(Promise.resolve());
    for (const error of [new Error("stray"), "stray", undefined]) expect(scopes.attribute({ kind: "rejection", error })).toBe(false);
    expect([blamed, scopes.lastEntered]).toEqual([[], "a"]);
  });
});

function fail(message: string): never {
  throw new Error(message);
}
