import { type Clock, type Logger, messageOf } from "@csi-sidecars/base";
import type { Running } from "../component.ts";
import type { ComponentMetrics } from "./component-metrics.ts";
import type { ComponentScope, ComponentScopes } from "./component-scope.ts";
import { RestartBudget } from "./restart-budget.ts";

/** What a component does at the moment. */
export type ComponentState =
  | { readonly is: "waiting"; readonly because: string }
  | { readonly is: "starting" }
  | { readonly is: "running" }
  | { readonly is: "failed"; readonly because: string }
  | { readonly is: "disabled"; readonly because: string }
  | { readonly is: "stopped" };

/** One run of a component. */
export interface Incarnation {
  readonly scope: ComponentScope;
  /** Aborts when it is to end. */
  readonly signal: AbortSignal;
  /** Gives something back when it has ended. */
  onEnd(giveBack: () => void): void;
}

export interface ComponentRunnerOptions {
  readonly component: string;
  readonly clock: Clock;
  /** The shell's. */
  readonly log: Logger;
  readonly scopes: ComponentScopes;
  readonly metrics: ComponentMetrics;
  readonly restartLimit: number;
  /** How long a component that failed may take to end what it still does. */
  readonly stopLimitMs: number;
  /** The only component: it is not restarted, the process ends with it. */
  readonly alone: boolean;
  /** Ends the process with a failure. */
  readonly fatal: (because: string) => void;
  /** The only component ended by itself, without a failure. */
  readonly completed: () => void;
}

/** Keeps one component running: contains its failures, and restarts it. */
export class ComponentRunner {
  readonly #options: ComponentRunnerOptions;
  readonly #budget: RestartBudget;
  #state: ComponentState = { is: "waiting", because: "the start of the process" };

  constructor(options: ComponentRunnerOptions) {
    this.#options = options;
    this.#budget = new RestartBudget(options.clock, options.restartLimit);
  }

  get state(): ComponentState {
    return this.#state;
  }

  waitFor(because: string): void {
    this.#become({ is: "waiting", because });
  }

  /** Switches it off until further notice. */
  disable(because: string): void {
    this.#options.metrics.enabled(this.#options.component, false);
    this.#become({ is: "disabled", because });
  }

  enable(): void {
    this.#options.metrics.enabled(this.#options.component, true);
  }

  /** Runs it until the signal aborts and its work has ended; again after each failure. */
  async supervise(launch: (incarnation: Incarnation) => Promise<Running>, signal: AbortSignal): Promise<void> {
    const { component, clock, log, metrics, alone, fatal, completed } = this.#options;
    while (!signal.aborted) {
      this.#become({ is: "starting" });
      const end = await this.#runOnce(launch, signal);
      if (end.reason === "asked") break;
      const because = end.reason === "failed" ? messageOf(end.error) : "it ended by itself";
      this.#become({ is: "failed", because });
      if (alone) return end.reason === "failed" ? fatal(because) : completed();
      const delayMs = this.#budget.failed();
      if (delayMs === undefined) return fatal(`controller ${component} failed too often: ${because}`);
      log.error(end.reason === "failed" ? end.error : undefined, "Controller failed, will be restarted", {
        controller: component,
        afterSeconds: delayMs / 1_000,
      });
      await clock.sleep(delayMs, signal).catch(() => undefined);
      if (!signal.aborted) metrics.restart(component);
    }
    this.#become({ is: "stopped" });
  }

  async #runOnce(launch: (incarnation: Incarnation) => Promise<Running>, asked: AbortSignal): Promise<RunEnd> {
    const { component, log, scopes, metrics } = this.#options;
    const ends = new AbortController();
    const faults = Promise.withResolvers<never>();
    faults.promise.catch(() => undefined);
    const given: (() => void)[] = [];
    let uncaught = 0;
    const scope = scopes.scope(component, (error) => {
      uncaught++;
      metrics.error(component);
      log.error(error, "Controller did not catch an error", { controller: component, ...stackOf(error) });
      faults.reject(error);
    });
    const stop = () => ends.abort(asked.reason);
    asked.addEventListener("abort", stop, { once: true });
    const started = scope.run(async () => launch({ scope, signal: ends.signal, onEnd: (giveBack) => given.push(giveBack) }));
    const ended = started.then(({ done }) => done);
    try {
      await Promise.race([started, faults.promise]);
      if (!asked.aborted) this.#become({ is: "running" });
      await Promise.race([ended, faults.promise]);
      return { reason: asked.aborted ? "asked" : "completed" };
    } catch (error) {
      ends.abort(error);
      if (!asked.aborted && uncaught === 0) metrics.error(component);
      await this.#settled(ended);
      if (asked.aborted) log.v(4).info("Controller stopped with an error", { controller: component, err: messageOf(error) });
      return asked.aborted ? { reason: "asked" } : { reason: "failed", error };
    } finally {
      asked.removeEventListener("abort", stop);
      ends.abort(new Error(`${component} has ended`));
      for (const giveBack of given.reverse()) giveBack();
    }
  }

  /** Waits for the remains of a failed run: the next one must not meet them. */
  async #settled(ended: Promise<void>): Promise<void> {
    const { component, clock, stopLimitMs, fatal } = this.#options;
    const timer = clock.after(stopLimitMs, () => fatal(`controller ${component} failed and did not stop`));
    await ended.catch(() => undefined);
    timer.cancel();
  }

  #become(state: ComponentState): void {
    const { component, metrics, log } = this.#options;
    if (this.#state.is !== state.is) log.v(2).info("Controller changed", { controller: component, state: state.is });
    this.#state = state;
    metrics.running(component, state.is === "running");
  }
}

type RunEnd = { readonly reason: "asked" | "completed" } | { readonly reason: "failed"; readonly error: unknown };

/** Where a mistake in the program is. */
function stackOf(error: unknown): { readonly stack?: string } {
  return error instanceof Error && error.stack ? { stack: error.stack } : {};
}
