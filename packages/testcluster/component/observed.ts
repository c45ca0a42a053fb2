import type { Clock } from "@csi-sidecars/base";
import type { Component, Running } from "@csi-sidecars/host";
import { ConditionVariable } from "../condition-variable.ts";

/** A component whose starts and ends are observed. */
export interface Observed {
  readonly component: Component;
  /** How often it was started. */
  readonly starts: number;
  /** What its last start threw. */
  readonly failure: unknown;
  /** Resolves when its n-th start has succeeded. */
  running(nth: number): Promise<void>;
  /** Resolves when nothing of it is left running. */
  quiet(): Promise<void>;
}

/** Watches a component from the outside: the process runs `component` in its place. `clock`: what the component sees instead of the process's. */
export function observed(component: Component, clock?: Clock): Observed {
  const succeeded = new Set<number>();
  const runs = new Set<Promise<unknown>>();
  const news = new ConditionVariable();
  let starts = 0;
  let failure: unknown;
  const start = async (context: Parameters<Component["start"]>[0]): Promise<Running> => {
    const nth = ++starts;
    failure = undefined;
    const starting = component.start(clock ? { ...context, clock } : context);
    const running = await starting.catch((error: unknown) => {
      failure = error;
      throw error;
    });
    succeeded.add(nth);
    news.changed();
    return running;
  };
  return {
    component: {
      ...component,
      start(context) {
        const starting = start(context);
        const over = starting.then(({ done }) => done).catch(() => undefined);
        runs.add(over);
        return starting;
      },
    },
    get starts() {
      return starts;
    },
    get failure() {
      return failure;
    },
    running: (nth) =>
      news.until(
        () => [...succeeded].some((each) => each >= nth),
        20_000,
        () => `start ${nth} of ${component.name}`,
      ),
    async quiet() {
      await Promise.all(runs);
    },
  };
}
