import { type Logger, messageOf, type Permit } from "@csi-sidecars/base";
import type { Client } from "@csi-sidecars/kube";
import type { Component, Driver, Running } from "../component.ts";
import { componentDriver, noDriver } from "../driver/component-driver.ts";
import type { FlagTable, FlagValues } from "../flags/flag.ts";
import type { Gates } from "../gates/feature-gates.ts";
import type { Check } from "../http/pages.ts";
import { noKube } from "../kube/component-client.ts";
import type { ComponentInformers } from "../kube/component-informers.ts";
import type { ClientLimit, KubeAccess } from "../kube/kube-access.ts";
import type { TermInformers } from "../kube/term-informers.ts";
import { workLimit } from "../kube/work-limit.ts";
import { neverPermitted } from "../leadership/leader-permit.ts";
import type { Term, Terms } from "../leadership/leader-terms.ts";
import { aborted, firstOf } from "../signals.ts";
import type { ComponentRun } from "../supervisor/component-run.ts";
import { Supervisor, type SupervisorOptions } from "../supervisor/supervisor.ts";
import { componentContext, type OwnParts, type SharedParts } from "./component-context.ts";
import { ComponentHealth } from "./component-health.ts";
import { ComponentSupport } from "./component-support.ts";

export interface ManagedComponentOptions
  extends Pick<SupervisorOptions, "restartLimit" | "stopTimeoutMs" | "fail" | "completed" | "onPersistentFailure"> {
  readonly shared: SharedParts;
  readonly component: Component;
  readonly flags: FlagValues<FlagTable>;
  readonly gates: Gates;
  readonly kube: KubeAccess | undefined;
  /** The component's, named after it. */
  readonly log: Logger;
  /** The process's. */
  readonly processLog: Logger;
  /** How long it may take to stop when it failed or the driver is another one. */
  readonly stopTimeoutMs: number;
  readonly lossPolicy: "exit" | "restart";
  readonly flagName: (flag: string) => string;
  /** The driver does not support it. */
  readonly onDisabled: () => void;
  /** Ends the process at once. */
  readonly fatal: (reason: string) => void;
}

/** One component of the process with everything that belongs to it, over all its runs. */
export class ManagedComponent {
  readonly component: Component;
  readonly health: ComponentHealth;
  readonly #options: ManagedComponentOptions;
  readonly #supervisor: Supervisor;
  readonly #support: ComponentSupport;
  readonly #own: OwnParts;
  /** That of the current term: clients are older. */
  readonly #permit: Permit;
  #term: Term | undefined;
  #informers: ComponentInformers | undefined;
  #lossesAtStart: number | undefined;

  constructor(options: ManagedComponentOptions) {
    const { component, flags, gates, kube, log, shared, processLog, lossPolicy } = options;
    const { restartLimit, stopTimeoutMs, fail, completed, onPersistentFailure } = options;
    const { clock, scopes, metrics, isOnlyComponent } = shared;
    this.#options = options;
    this.component = component;
    const permit = () => this.#term?.permit ?? neverPermitted;
    this.#permit = {
      refusal: () => permit().refusal(),
      get withdrawn() {
        return permit().withdrawn;
      },
    };
    this.#supervisor = new Supervisor({
      component: component.name,
      ...{ clock, scopes, metrics, log: processLog, restartLimit, stopTimeoutMs, fail, completed, onPersistentFailure },
      // What fails because the driver was lost starts again with it.
      endsWithProcess: () => isOnlyComponent && shared.session?.losses === this.#lossesAtStart,
    });
    this.health = new ComponentHealth(component.name, () => this.#supervisor.state);
    const open = (name: string, limit: ClientLimit): Client | undefined =>
      component.kube ? kube?.client(name, limit, log, this.#permit) : undefined;
    const client = open(component.name, workLimit(flags));
    this.#own = {
      ...{ component, flags, log, client, health: this.health, flagName: options.flagName, kept: {} },
      clientFor: (purpose, limit) => open(`${component.name}-${purpose}`, limit),
    };
    this.#support = new ComponentSupport({
      ...{ component, flags, gates, clock, log, lossPolicy, served: shared.served },
      kube: client ?? noKube(component.name).client,
    });
  }

  get disabled(): string | undefined {
    const { state } = this.#supervisor;
    return state.is === "disabled" ? state.reason : undefined;
  }

  /** For `/readyz`: fails when the component keeps failing, and says what it does. */
  get readiness(): Check {
    return {
      name: this.component.name,
      problem: () => this.#supervisor.problem,
      detail: () => {
        const { state } = this.#supervisor;
        const waiting = this.#informers?.waitingFor() ?? [];
        const away = this.#driverAway;
        const reason = state.is === "waiting" && away ? "the CSI driver is away" : "reason" in state ? state.reason : undefined;
        const details = [reason === undefined ? state.is : `${state.is}: ${reason}`];
        if (waiting.length > 0) details.push(`waiting for caches: ${waiting.join(", ")}`);
        if (state.is === "running" && away) details.push("the CSI driver is away");
        return details.join("; ");
      },
    };
  }

  /** Runs it whenever the driver is what it needs and it has a term, until `stopping` aborts. */
  async run(terms: Terms, informers: TermInformers | undefined, stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const otherDriver = await this.#driverReady(stopping);
      if (!otherDriver) return;
      const { signal: sameDriver, done } = firstOf(stopping, otherDriver);
      try {
        const support = await this.#support.check(this.#driverBeforeStart(sameDriver), sameDriver);
        if (!support) continue;
        if (!support.supported) {
          this.#disable(support.reason);
          await aborted(sameDriver);
          continue;
        }
        this.#supervisor.enable();
        this.#supervisor.waitFor(() => terms.waitingFor());
        const term = await terms.next(sameDriver);
        if (term) await this.#runInTerm(term, sameDriver, stopping, (run) => this.#start(run, term, support.gates, informers));
      } catch (error) {
        return this.#options.fatal(messageOf(error));
      } finally {
        done();
      }
    }
  }

  /**
   * Waits until the driver is what the component needs: a signal that aborts when the component must start over because it is another
   * one; `undefined` when the process is to end before.
   */
  async #driverReady(stopping: AbortSignal): Promise<AbortSignal | undefined> {
    const { session } = this.#options.shared;
    const need = this.component.driver;
    if (!session || need === "none" || need === "unknown") return stopping;
    this.#supervisor.waitFor("the CSI driver is not ready");
    if (need === "ready") return session.ready(stopping);
    return (await session.named(stopping)) === undefined ? undefined : stopping;
  }

  #disable(reason: string): void {
    const { processLog, onDisabled } = this.#options;
    processLog.error(undefined, `controller disabled: ${reason}`, { controller: this.component.name });
    this.#supervisor.disable(reason);
    onDisabled();
  }

  /** Keeps it running until the term ends or the driver is another one; then it must stop in time. */
  async #runInTerm(
    term: Term,
    sameDriver: AbortSignal,
    stopping: AbortSignal,
    start: (run: ComponentRun) => Promise<Running>,
  ): Promise<void> {
    const { shared, stopTimeoutMs, fatal } = this.#options;
    const { signal, done } = firstOf(sameDriver, term.stop);
    const work = this.#supervisor.supervise(start, signal);
    const held = work.catch(() => undefined);
    term.work.add(held);
    const over = new AbortController();
    void aborted(sameDriver).then(() => {
      if (stopping.aborted || over.signal.aborted) return;
      const late = () => fatal(`the CSI driver came back with other capabilities and controller ${this.component.name} does not stop`);
      const timer = shared.clock.after(stopTimeoutMs, late);
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

  async #start(run: ComponentRun, term: Term, gates: Gates, termInformers: TermInformers | undefined): Promise<Running> {
    const { component } = this;
    const informers = component.kube ? termInformers?.forTerm(term) : undefined;
    this.#term = term;
    this.#lossesAtStart = this.#options.shared.session?.losses;
    run.onEnd(() => {
      this.#term = undefined;
      this.#informers = undefined;
    });
    const started = componentContext(this.#options.shared, this.#own, {
      ...{ run, gates, informers: informers?.informers },
      abort: term.signal,
      permit: term.permit,
      onFirstInformer: () => informers?.declared(component.name),
    });
    this.#informers = started.informers;
    try {
      return await component.start(started.context);
    } finally {
      informers?.declared(component.name);
    }
  }

  /** The driver for questions before the component runs: nothing that could be restarted runs then. */
  #driverBeforeStart(ends: AbortSignal): Driver {
    const { shared, log, processLog } = this.#options;
    const { session, scopes, metrics } = shared;
    const { name } = this.component;
    if (!session) return noDriver(name);
    const scope = scopes.scope(name, (error) => {
      metrics.error(name);
      processLog.error(error, "Unhandled error in controller", { controller: name });
    });
    return componentDriver({ session, need: this.component.driver, ends, scope, log, permit: neverPermitted });
  }

  get #driverAway(): boolean {
    const { session } = this.#options.shared;
    return this.component.driver === "ready" && session !== undefined && session.losses > 0 && !session.calls.availability.available;
  }
}
