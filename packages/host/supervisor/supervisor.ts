import { type Clock, type Logger, messageOf } from "@csi-sidecars/base";
import type { Running } from "../component.ts";
import type { ComponentMetrics } from "./component-metrics.ts";
import type { ComponentRun, ComponentScopes } from "./component-run.ts";

/** What a component does at the moment. */
export type ComponentState =
  | { readonly is: "waiting"; readonly reason: string }
  | { readonly is: "starting" }
  | { readonly is: "running" }
  | { readonly is: "failed"; readonly reason: string }
  | { readonly is: "disabled"; readonly reason: string }
  | { readonly is: "stopped" };

export interface SupervisorOptions {
  readonly component: string;
  readonly clock: Clock;
  /** The process's. */
  readonly log: Logger;
  readonly scopes: ComponentScopes;
  readonly metrics: ComponentMetrics;
  /** How many restarts there may be within ten minutes. */
  readonly restartLimit: number;
  /** How long a component that failed may take to finish its work in flight. */
  readonly stopTimeoutMs: number;
  /** Whether the process ends with a run that has ended by itself, as with the only component; else it is restarted. */
  readonly endsWithProcess: () => boolean;
  /** Ends the process with a failure. */
  readonly fatal: (reason: string) => void;
  /** The only component ended by itself, without a failure. */
  readonly completed: () => void;
}

/** Keeps one component running: contains its failures, and restarts it with backoff. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #backoff: RestartBackoff;
  #state: ComponentState = { is: "waiting", reason: "the start of the process" };

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#backoff = new RestartBackoff(options.clock, options.restartLimit);
  }

  get state(): ComponentState {
    return this.#state;
  }

  waitFor(reason: string): void {
    this.#become({ is: "waiting", reason });
  }

  /** The driver does not support the component. */
  disable(reason: string): void {
    this.#options.metrics.enabled(this.#options.component, false);
    this.#become({ is: "disabled", reason });
  }

  enable(): void {
    this.#options.metrics.enabled(this.#options.component, true);
  }

  /** Runs it until the signal aborts and its work in flight is finished; again after each failure. */
  async supervise(start: (run: ComponentRun) => Promise<Running>, signal: AbortSignal): Promise<void> {
    const { component, clock, log, metrics, endsWithProcess, fatal, completed } = this.#options;
    while (!signal.aborted) {
      this.#become({ is: "starting" });
      const end = await this.#runOnce(start, signal);
      if (end.outcome === "stopped") break;
      const reason = end.outcome === "failed" ? messageOf(end.error) : "it ended by itself";
      this.#become({ is: "failed", reason });
      if (endsWithProcess()) return end.outcome === "failed" ? fatal(reason) : completed();
      const delayMs = this.#backoff.next();
      if (delayMs === undefined) return fatal(`controller ${component} failed too often: ${reason}`);
      log.error(end.outcome === "failed" ? end.error : undefined, "Controller failed, will be restarted", {
        controller: component,
        afterSeconds: delayMs / 1_000,
      });
      await clock.sleep(delayMs, signal).catch(() => undefined);
      if (!signal.aborted) metrics.restart(component);
    }
    this.#become({ is: "stopped" });
  }

  async #runOnce(start: (run: ComponentRun) => Promise<Running>, asked: AbortSignal): Promise<RunEnd> {
    const { component, log, scopes, metrics } = this.#options;
    const ends = new AbortController();
    const unhandled = Promise.withResolvers<never>();
    unhandled.promise.catch(() => undefined);
    const releases: (() => void)[] = [];
    let unhandledErrors = 0;
    const scope = scopes.scope(component, (error) => {
      unhandledErrors++;
      metrics.error(component);
      log.error(error, "Unhandled error in controller", { controller: component, ...stackOf(error) });
      unhandled.reject(error);
    });
    const stop = () => ends.abort(asked.reason);
    asked.addEventListener("abort", stop, { once: true });
    const run: ComponentRun = { ...scope, signal: ends.signal, onEnd: (release) => releases.push(release) };
    const started = scope.run(async () => start(run));
    const ended = started.then(({ done }) => done);
    try {
      await Promise.race([started, unhandled.promise]);
      if (!asked.aborted) this.#become({ is: "running" });
      await Promise.race([ended, unhandled.promise]);
      return { outcome: asked.aborted ? "stopped" : "completed" };
    } catch (error) {
      ends.abort(error);
      if (!asked.aborted && unhandledErrors === 0) metrics.error(component);
      await this.#settled(ended);
      if (asked.aborted) log.v(4).info("Controller stopped with an error", { controller: component, err: messageOf(error) });
      return asked.aborted ? { outcome: "stopped" } : { outcome: "failed", error };
    } finally {
      asked.removeEventListener("abort", stop);
      ends.abort(new Error(`${component} has ended`));
      for (const release of releases.reverse()) release();
    }
  }

  /** Waits for the work in flight of a failed run: the next run must not overlap with it. */
  async #settled(ended: Promise<void>): Promise<void> {
    const { component, clock, stopTimeoutMs, fatal } = this.#options;
    const timer = clock.after(stopTimeoutMs, () => fatal(`controller ${component} failed and did not stop`));
    await ended.catch(() => undefined);
    timer.cancel();
  }

  #become(state: ComponentState): void {
    const { component, metrics, log } = this.#options;
    if (this.#state.is !== state.is) log.v(2).info("Controller state changed", { controller: component, state: state.is });
    this.#state = state;
    metrics.running(component, state.is === "running");
  }
}

type RunEnd = { readonly outcome: "stopped" | "completed" } | { readonly outcome: "failed"; readonly error: unknown };

/** Where a mistake in the program is. */
function stackOf(error: unknown): { readonly stack?: string } {
  return error instanceof Error && error.stack ? { stack: error.stack } : {};
}

const windowMs = 600_000;
const firstDelayMs = 1_000;
const maxDelayMs = 60_000;

/** When a component that failed may start again, and when the process gives up on it. */
class RestartBackoff {
  readonly #clock: Clock;
  readonly #limit: number;
  #restarts: readonly number[] = [];
  #streak = 0;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** How long to wait before the restart after a failure that just happened; `undefined` when there were too many. */
  next(): number | undefined {
    const now = this.#clock.monotonic();
    if (now - this.#failedAt >= windowMs) this.#streak = 0;
    this.#failedAt = now;
    this.#restarts = this.#restarts.filter((at) => now - at < windowMs);
    if (this.#restarts.length >= this.#limit) return undefined;
    this.#restarts = [...this.#restarts, now];
    return Math.min(maxDelayMs, firstDelayMs * 2 ** this.#streak++);
  }
}
