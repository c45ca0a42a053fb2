import { beginningOf, type Clock, type Logger, messageOf } from "@csi-sidecars/base";
import type { Running } from "../component.ts";
import type { ComponentMetrics } from "./component-metrics.ts";
import type { ComponentRun, ComponentScopes } from "./component-run.ts";
import { RestartBackoff } from "./restart-backoff.ts";
import { UnhandledErrors } from "./unhandled-errors.ts";

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
  /** How many restarts in a row there may be before the process ends; 0 for any number. */
  readonly restartLimit: number;
  /** How long a component that failed, or whose driver is another one, may take to finish its work in flight. */
  readonly stopTimeoutMs: number;
  /** Whether the process ends with a run that has ended by itself, as with the only component; else it is restarted. */
  readonly endsWithProcess: () => boolean;
  /** Ends the process with a failure, when the work in flight of all components is finished. */
  readonly fail: (reason: string) => void;
  /** The only component ended by itself, without a failure. */
  readonly completed: () => void;
  /** It keeps failing, or its work does not end after a failure: said once. */
  readonly onPersistentFailure: (message: string) => void;
}

/** From this many failures in a row on a component is expected to fail again: the process is not ready as long as it does not run. */
const persistentFailures = 5;

/** A failure may quote a driver's error, of 64 KiB perhaps: events and pages have its beginning. */
const maxReasonLength = 16 * 1024;
const reasonOf = (error: unknown) => beginningOf(messageOf(error), maxReasonLength);

/** Keeps one component running: contains its failures, and restarts it with backoff for as long as it takes. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #backoff = new RestartBackoff();
  #state: ComponentState = { is: "waiting", reason: "the start of the process" };
  /** Why it last failed, until it runs again. */
  #failure: { readonly reason: string; readonly isPersistent: boolean } | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get state(): ComponentState {
    return this.#state;
  }

  /** What is wrong with a component that keeps failing, until it runs or is not meant to. */
  get problem(): string | undefined {
    return this.#failure?.isPersistent ? this.#failure.reason : undefined;
  }

  waitFor(reason: string | (() => string)): void {
    const text = typeof reason === "string" ? () => reason : reason;
    this.#become({
      is: "waiting",
      get reason() {
        return text();
      },
    });
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
    const { component, clock, metrics, endsWithProcess, fail, completed } = this.#options;
    while (!signal.aborted) {
      this.#become({ is: "starting" });
      const startedAt = clock.monotonic();
      const end = await this.#runOnce(start, signal);
      if (end.outcome === "stopped") break;
      const reason = end.outcome === "failed" ? reasonOf(end.error) : "it ended by itself";
      const delayMs = this.#backoff.failed(clock.monotonic() - startedAt);
      this.#failed(reason, this.#backoff.failures >= persistentFailures);
      if (endsWithProcess()) return end.outcome === "failed" ? fail(reason) : completed();
      if (!this.#report(end, reason, delayMs)) return;
      await clock.sleep(delayMs, signal).catch(() => undefined);
      if (!signal.aborted) metrics.restart(component);
    }
    this.#become({ is: "stopped" });
  }

  /** Tells of a failure. Whether there is going to be a restart. */
  #report(end: RunEnd, reason: string, delayMs: number): boolean {
    const { component, log, restartLimit, fail, onPersistentFailure } = this.#options;
    const { failures } = this.#backoff;
    if (restartLimit > 0 && failures > restartLimit) {
      fail(`controller ${component} failed too often: ${reason}`);
      return false;
    }
    const afterSeconds = delayMs / 1_000;
    const error = end.outcome === "failed" ? end.error : undefined;
    log.error(error, "Controller failed, will be restarted", { controller: component, failures, afterSeconds });
    if (failures === persistentFailures) onPersistentFailure(`controller ${component} failed ${failures} times in a row: ${reason}`);
    return true;
  }

  async #runOnce(start: (run: ComponentRun) => Promise<Running>, asked: AbortSignal): Promise<RunEnd> {
    const { component, log, scopes, metrics } = this.#options;
    const ends = new AbortController();
    const unhandled = new UnhandledErrors(component, { log, metrics });
    const releases: (() => void)[] = [];
    const scope = unhandled.scope(scopes);
    const stop = () => ends.abort(asked.reason);
    asked.addEventListener("abort", stop, { once: true });
    const run: ComponentRun = { ...scope, signal: ends.signal, onEnd: (release) => releases.push(release) };
    const started = scope.run(async () => start(run));
    const ended = started.then(({ done }) => done);
    try {
      await Promise.race([started, unhandled.first]);
      if (!asked.aborted) this.#become({ is: "running" });
      await Promise.race([ended, unhandled.first]);
      return { outcome: asked.aborted ? "stopped" : "completed" };
    } catch (error) {
      ends.abort(error);
      if (!asked.aborted && unhandled.count === 0) metrics.error(component);
      await this.#settled(ended, error);
      if (asked.aborted) log.v(4).info("Controller stopped with an error", { controller: component, err: messageOf(error) });
      return asked.aborted ? { outcome: "stopped" } : { outcome: "failed", error };
    } finally {
      asked.removeEventListener("abort", stop);
      ends.abort(new Error(`${component} has ended`));
      for (const release of releases.splice(0).reverse()) release();
      unhandled.end();
    }
  }

  /**
   * Waits for the work in flight of a failed run: the next run must not overlap with it. Work that does not end keeps the component from
   * running, not its neighbours.
   */
  async #settled(ended: Promise<void>, error: unknown): Promise<void> {
    const { component, clock, log, restartLimit, stopTimeoutMs, endsWithProcess, fail, onPersistentFailure } = this.#options;
    const timer = clock.after(stopTimeoutMs, () => {
      const stuck = `controller ${component} failed and did not stop`;
      if (restartLimit > 0 || endsWithProcess()) return fail(stuck);
      log.error(undefined, `${stuck}: it is restarted when its work in flight has ended`, { timeoutMs: stopTimeoutMs });
      this.#failed(`${reasonOf(error)}; its work in flight does not end`, true);
      onPersistentFailure(`${stuck}: ${reasonOf(error)}`);
    });
    await ended.catch(() => undefined);
    timer.cancel();
  }

  #failed(reason: string, isPersistent: boolean): void {
    this.#failure = { reason, isPersistent };
    this.#become({ is: "failed", reason });
  }

  #become(state: ComponentState): void {
    const { component, metrics, log } = this.#options;
    if (this.#state.is !== state.is) log.v(2).info("Controller state changed", { controller: component, state: state.is });
    this.#state = state;
    if (state.is !== "failed" && state.is !== "starting") this.#failure = undefined;
    metrics.running(component, state.is === "running");
    metrics.failed(component, this.#failure !== undefined);
  }
}

type RunEnd = { readonly outcome: "stopped" | "completed" } | { readonly outcome: "failed"; readonly error: unknown };
