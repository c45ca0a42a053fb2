import type { Component, ComponentContext, Running } from "@csi-sidecars/host";

/** A component whose runs are followed: how many there were, and what is left of those that have ended. */
export interface TrackedRuns {
  readonly component: Component;
  /** The starts that have succeeded. */
  readonly started: number;
  /** Lets the current run fail. */
  fail(): void;
  /** How many of the runs still keep each part of their context in memory. */
  live(): Readonly<Record<string, number>>;
}

/** Everything a run creates refers to one of these: a queue to the clock, a handler to the caches, a metric to the registry. */
const parts = [
  "signal",
  "clock",
  "metrics",
  "informers",
  "kube",
  "driver",
  "queueMetrics",
] as const satisfies readonly (keyof ComponentContext)[];

/** Follows a component from the outside: the process runs `component` in its place. */
export function trackRuns(component: Component): TrackedRuns {
  const runs: Readonly<Record<string, WeakRef<object>>>[] = [];
  let started = 0;
  let fail = () => {};
  return {
    component: {
      ...component,
      async start(context): Promise<Running> {
        runs.push({ context: new WeakRef(context), ...Object.fromEntries(parts.map((part) => [part, new WeakRef(context[part])])) });
        const { done } = await component.start(context);
        const failed = Promise.withResolvers<void>();
        fail = () => failed.reject(new Error("the test fails it"));
        started++;
        return { done: Promise.race([done, failed.promise.then(() => done)]) };
      },
    },
    get started() {
      return started;
    },
    fail: () => fail(),
    live() {
      Bun.gc(true);
      const names = Object.keys(runs[0] ?? {});
      return Object.fromEntries(names.map((name) => [name, runs.filter((run) => run[name]?.deref() !== undefined).length]));
    },
  };
}
