import { describe, expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import type { Running } from "../component.ts";
import { aborted } from "../signals.ts";
import { componentMetrics } from "./component-metrics.ts";
import { type ComponentRun, ComponentScopes, scopedClock } from "./component-run.ts";
import { Supervisor } from "./supervisor.ts";

function world({ isOnlyComponent = false, restartLimit = 5 } = {}) {
  const clock = new FakeClock();
  const log = recordingLogger();
  const scopes = new ComponentScopes();
  const registry = new Registry();
  const ends: string[] = [];
  const supervisor = new Supervisor({
    component: "attacher",
    clock,
    log,
    scopes,
    metrics: componentMetrics(registry, ["attacher"]),
    restartLimit,
    stopTimeoutMs: 30_000,
    endsWithProcess: () => isOnlyComponent,
    fatal: (reason) => ends.push(reason),
    completed: () => ends.push("completed"),
  });
  const asked = new AbortController();
  const value = async (name: string) => (await registry.getSingleMetric(`csi_sidecars_controller_${name}`)?.get())?.values[0]?.value;
  return { clock, log, scopes, supervisor, ends, asked, value };
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

  test("that keeps failing ends the process at the limit; ten minutes without a failure reset it", async () => {
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
    await clock.advance(600_000);
    await fail();
    await clock.advance(1_000);
    expect(failures).toHaveLength(3);
    await fail();
    await clock.advance(2_000);
    await fail();
    expect(ends).toEqual(["controller attacher failed too often: broken"]);
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

  test("that failed and does not stop ends the process", async () => {
    const { supervisor, asked, clock, ends } = world();
    void supervisor.supervise(async (run) => {
      scopedClock(clock, run).after(1, () => fail("broken"));
      return { done: new Promise(() => {}) };
    }, asked.signal);
    await clock.advance(30_001);
    expect(ends).toEqual(["controller attacher failed and did not stop"]);
  });
});

describe("an unhandled error", () => {
  test("is found to be a component's by its context, by where it came from, or by who ran last", async () => {
    const scopes = new ComponentScopes();
    const faults: string[] = [];
    const scope = (name: string) => scopes.scope(name, (error) => faults.push(`${name}: ${error}`));
    expect(scopes.attributeError("before anything ran")).toBe(false);
    const [a, b] = [scope("a"), scope("b")];
    a.run(() => scopes.attributeError("1"));
    const error = new Error("refused");
    await a.watch(Promise.reject(error)).catch(() => undefined);
    b.run(() => undefined);
    scopes.attributeError(error);
    scopes.attributeError("3");
    expect([faults, scopes.lastEntered]).toEqual([["a: 1", "a: Error: refused", "b: 3"], "b"]);
  });
});

function fail(message: string): never {
  throw new Error(message);
}
