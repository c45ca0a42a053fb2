import { type Clock, type Logger, messageOf } from "@csi-sidecars/base";
import type { Component, Driver, Running } from "../component.ts";
import type { DriverPeriod } from "../driver/connection-period.ts";
import type { DriverSession } from "../driver/driver-session.ts";
import type { Gates } from "../gates/gates.ts";
import type { ComponentRunner, Incarnation } from "../supervisor/component-runner.ts";
import { aborted, firstOf } from "../supervisor/waiting.ts";
import type { Preparation } from "./preparation.ts";
import type { Term, Terms } from "./terms.ts";

export interface ComponentLifeOptions {
  readonly component: Component;
  readonly runner: ComponentRunner;
  readonly preparation: Preparation;
  /** For questions before it runs. */
  readonly driver: Driver;
  readonly session: DriverSession | undefined;
  readonly terms: Terms;
  /** Aborts when the process is to end. */
  readonly stopping: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long it may take to stop when the driver is lost. */
  readonly stopLimitMs: number;
  readonly fatal: (because: string) => void;
  readonly launch: (incarnation: Incarnation, term: Term, gates: Gates) => Promise<Running>;
  /** It cannot serve this driver. */
  readonly disabled: (because: string) => void;
}

/** Runs a component whenever the driver is what it needs and its term lasts, until the process is to end. */
export async function live(options: ComponentLifeOptions): Promise<void> {
  const { component, runner, preparation, driver, terms, stopping, log, fatal, launch } = options;
  while (!stopping.aborted) {
    runner.waitFor("the CSI driver is not ready");
    const period = await periodFor(options);
    if (!period) return;
    const { signal, done } = firstOf(stopping, period.signal);
    try {
      const verdict = await preparation.verdict(driver, signal);
      if (!verdict) continue;
      if (!verdict.run) {
        log.error(undefined, `controller disabled: ${verdict.because}`, { controller: component.name });
        runner.disable(verdict.because);
        options.disabled(verdict.because);
        await aborted(signal);
        continue;
      }
      runner.enable();
      runner.waitFor("another replica leads");
      const term = await terms.next(signal);
      if (!term) continue;
      await runIn(term, signal, options, (incarnation) => launch(incarnation, term, verdict.gates));
    } catch (error) {
      return fatal(messageOf(error));
    } finally {
      done();
    }
  }
}

async function runIn(
  term: Term,
  lasts: AbortSignal,
  { component, runner, stopping, clock, stopLimitMs, fatal }: ComponentLifeOptions,
  launch: (incarnation: Incarnation) => Promise<Running>,
): Promise<void> {
  const { signal, done } = firstOf(lasts, term.signal);
  const work = runner.supervise(launch, signal);
  const held = work.catch(() => undefined);
  term.work.add(held);
  const over = new AbortController();
  void aborted(lasts).then(() => {
    if (stopping.aborted || over.signal.aborted) return;
    const timer = clock.after(stopLimitMs, () => fatal(`the CSI driver was lost and controller ${component.name} does not stop`));
    over.signal.addEventListener("abort", () => timer.cancel(), { once: true });
  });
  try {
    await work;
  } finally {
    over.abort();
    done();
    term.work.delete(held);
  }
}

/** A time in which the driver is what the component needs. */
async function periodFor({ component, session, stopping }: ComponentLifeOptions): Promise<DriverPeriod | undefined> {
  const endless = { generation: 0, signal: stopping };
  switch (session ? component.driver : "none") {
    case "none":
    case "unknown":
      return endless;
    case "named":
      return (await session?.named(stopping)) === undefined ? undefined : endless;
    case "ready":
      return session?.ready(stopping);
  }
}
