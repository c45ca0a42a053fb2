import { describe, expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import type { Running } from "../component.ts";
import { componentMetrics } from "./component-metrics.ts";
import { ComponentRunner, type Incarnation } from "./component-runner.ts";
import { ComponentScopes } from "./component-scope.ts";
import { scopedClock } from "./scoped-clock.ts";
import { aborted } from "./waiting.ts";

function world({ alone = false, restartLimit = 5 } = {}) {
  const clock = new FakeClock();
  const log = recordingLogger();
  const scopes = new ComponentScopes();
  const registry = new Registry();
  const ends: string[] = [];
  const runner = new ComponentRunner({
    component: "attacher",
    clock,
    log,
    scopes,
    metrics: componentMetrics(registry, ["attacher"]),
    restartLimit,
    stopLimitMs: 30_000,
    alone,
    fatal: (because) => ends.push(because),
    completed: () => ends.push("completed"),
  });
  const asked = new AbortController();
  const value = async (name: string) => (await registry.getSingleMetric(`csi_sidecars_controller_${name}`)?.get())?.values[0]?.value;
  return { clock, log, scopes, runner, ends, asked, value };
}

const untilAsked = async ({ signal }: Incarnation): Promise<Running> => ({ done: aborted(signal) });

describe("a component", () => {
  test("runs until it is asked to stop and has ended its work", async () => {
    const { runner, asked, clock, value } = world();
    const work = Promise.withResolvers<void>();
    const given: string[] = [];
    const over = runner.supervise(async ({ onEnd }) => {
      onEnd(() => given.push("views"));
      onEnd(() => given.push("routes"));
      return { done: work.promise };
    }, asked.signal);
    await clock.advance(0);
    expect([runner.state.is, await value("running")]).toEqual(["running", 1]);
    asked.abort();
    await clock.advance(0);
    expect([runner.state.is, given]).toEqual(["running", []]);
    work.resolve();
    await over;
    expect([runner.state.is, given, await value("running")]).toEqual(["stopped", ["routes", "views"], 0]);
  });

  test("that the driver cannot serve is shown as switched off, until it can", async () => {
    const { runner, value } = world();
    expect(await value("enabled")).toBe(1);
    runner.disable("no volumes");
    expect([runner.state, await value("enabled")]).toEqual([{ is: "disabled", because: "no volumes" }, 0]);
    runner.enable();
    expect(await value("enabled")).toBe(1);
  });

  test("that fails three times to start works the fourth time, after growing delays", async () => {
    const { runner, asked, clock, value, ends } = world();
    let starts = 0;
    const over = runner.supervise(async (incarnation) => {
      if (++starts <= 3) throw new Error(`no ${starts}`);
      return untilAsked(incarnation);
    }, asked.signal);
    await clock.advance(0);
    expect(runner.state).toEqual({ is: "failed", because: "no 1" });
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
    expect([runner.state.is, await value("restarts_total"), await value("errors_total"), ends]).toEqual(["running", 3, 3, []]);
    asked.abort();
    await over;
  });

  test("that keeps failing ends the process at the limit; ten quiet minutes forgive", async () => {
    const { runner, asked, clock, ends } = world({ restartLimit: 2 });
    const failures: ((error: Error) => void)[] = [];
    void runner.supervise(async () => {
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
    const failing = world({ alone: true });
    await failing.runner.supervise(async () => Promise.reject(new Error("no capability")), failing.asked.signal);
    expect(failing.ends).toEqual(["no capability"]);
    const ending = world({ alone: true });
    await ending.runner.supervise(async () => ({ done: Promise.resolve() }), ending.asked.signal);
    expect(ending.ends).toEqual(["completed"]);
  });

  test("whose timer throws is stopped, drained and restarted; a late fault of the old run harms nobody", async () => {
    const { runner, asked, clock, log, value } = world();
    let starts = 0;
    let late: (() => void) | undefined;
    const over = runner.supervise(async ({ scope, signal }) => {
      if (++starts === 1) {
        scopedClock(clock, scope).after(10, () => {
          throw new TypeError("x is undefined");
        });
        late = () => scope.call(() => fail("old"));
      }
      return { done: aborted(signal) };
    }, asked.signal);
    await clock.advance(10);
    expect(runner.state).toEqual({ is: "failed", because: "x is undefined" });
    await clock.advance(1_000);
    late?.();
    await clock.advance(0);
    expect([starts, runner.state.is, await value("restarts_total"), await value("errors_total")]).toEqual([2, "running", 1, 2]);
    expect(log.lines.filter(({ message }) => message === "Controller did not catch an error")).toHaveLength(2);
    asked.abort();
    await over;
  });

  test("that failed and does not stop ends the process", async () => {
    const { runner, asked, clock, ends } = world();
    void runner.supervise(async ({ scope }) => {
      scopedClock(clock, scope).after(1, () => fail("broken"));
      return { done: new Promise(() => {}) };
    }, asked.signal);
    await clock.advance(30_001);
    expect(ends).toEqual(["controller attacher failed and did not stop"]);
  });
});

describe("an uncaught error", () => {
  test("is found to be a component's by its context, by where it came from, or by who ran last", async () => {
    const scopes = new ComponentScopes();
    const faults: string[] = [];
    const scope = (name: string) => scopes.scope(name, (error) => faults.push(`${name}: ${error}`));
    expect(scopes.blame("before anything ran")).toBe(false);
    const [a, b] = [scope("a"), scope("b")];
    a.run(() => scopes.blame("1"));
    const error = new Error("refused");
    await a.watch(Promise.reject(error)).catch(() => undefined);
    b.run(() => undefined);
    scopes.blame(error);
    scopes.blame("3");
    expect([faults, scopes.lastEntered]).toEqual([["a: 1", "a: Error: refused", "b: 3"], "b"]);
  });
});

function fail(message: string): never {
  throw new Error(message);
}
