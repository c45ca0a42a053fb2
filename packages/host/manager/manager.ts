import { messageOf } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import { isProtocolViolation } from "@csi-sidecars/csi";
import { workQueueMetrics } from "@csi-sidecars/kube";
import { CallRecorder } from "../activity/call-recorder.ts";
import type { DriverSession } from "../driver/driver-session.ts";
import { type ExitCode, exitCode } from "../flags/exit-code.ts";
import { serveEndpoints } from "../http/endpoints.ts";
import type { KubeAccess } from "../kube/kube-access.ts";
import { ServedKinds } from "../kube/served-kinds.ts";
import { TermInformers } from "../kube/term-informers.ts";
import type { Elections } from "../leadership/elections.ts";
import { endlessTerm, type Terms } from "../leadership/leader-terms.ts";
import type { PlannedProcess } from "../program/plan-process.ts";
import type { Fault } from "../program/process-env.ts";
import { unlessAborted } from "../signals.ts";
import { type ComponentMetrics, componentMetrics } from "../supervisor/component-metrics.ts";
import { ComponentScopes } from "../supervisor/component-run.ts";
import type { SharedParts } from "./component-context.ts";
import { openDriver, openKube } from "./connections.ts";
import { failureEvents } from "./failure-events.ts";
import { ManagedComponent } from "./managed-component.ts";
import { openElections } from "./open-elections.ts";
import { processMetrics } from "./process-metrics.ts";
import { Shutdown } from "./shutdown.ts";
import { reportStart } from "./start-report.ts";

/** How long the last events may take to be sent. */
const eventGraceMs = 2_000;

/** Runs the components of a process with everything they share, from the first listener to the last drain. */
export class Manager {
  readonly #process: PlannedProcess;
  readonly #shutdown: Shutdown;
  /** Aborts when everything is over: what work in flight needs lasts until then. */
  readonly #closed = new AbortController();
  readonly #registry = new Registry();
  readonly #registries = new Set([this.#registry]);
  readonly #scopes = new ComponentScopes();
  readonly #kube: KubeAccess | undefined;
  readonly #session: DriverSession | undefined;
  readonly #elections: Elections | undefined;
  readonly #metrics: ComponentMetrics;
  readonly #components: readonly ManagedComponent[];
  /** Only where somebody looks at it. */
  readonly #recorder: CallRecorder | undefined;

  /** Opens nothing but the configuration of the API server; throws where that cannot work. */
  constructor(process: PlannedProcess) {
    const { plan, processEnv, log } = process;
    const registry = this.#registry;
    const shutdown = new Shutdown(log);
    this.#process = process;
    this.#shutdown = shutdown;
    processMetrics(registry, processEnv.clock);
    const names = plan.enabled.map(({ name }) => name);
    const metrics = componentMetrics(registry, names);
    this.#metrics = metrics;
    const onReaderError = () => this.#scopes.current && metrics.error(this.#scopes.current);
    this.#recorder = process.settings.process.enableUi ? new CallRecorder(processEnv.clock) : undefined;
    this.#kube = plan.needsKube ? openKube(process, registry, onReaderError, this.#recorder) : undefined;
    this.#session = plan.driver === "none" ? undefined : openDriver(process, plan.driver, registry, shutdown, this.#recorder);
    this.#elections = this.#kube && openElections(process, { kube: this.#kube, session: this.#session, registry, shutdown });
    this.#components = this.#manage({
      session: this.#session,
      events: this.#kube?.events,
      served: new ServedKinds(),
      metrics,
      registries: this.#registries,
      queueMetrics: workQueueMetrics(registry),
      scopes: this.#scopes,
      clock: processEnv.clock,
      env: processEnv.env,
      isOnlyComponent: plan.isOnlyComponent,
      enabled: () => this.#components.filter(({ disabled }) => disabled === undefined).map(({ component }) => component),
    });
  }

  #manage(shared: SharedParts): readonly ManagedComponent[] {
    const { plan, settings, gates, root, log } = this.#process;
    return plan.enabled.map(
      (component) =>
        new ManagedComponent({
          ...{ shared, component, gates, kube: this.#kube, lossPolicy: plan.lossPolicy },
          flags: settings.of(component),
          log: root.named(component.name),
          processLog: log,
          restartLimit: settings.process.controllerRestartLimit,
          stopTimeoutMs: settings.process.shutdownTimeout,
          flagName: (flag) => settings.spelling(component.name, flag),
          onDisabled: () => this.#exitIfAllDisabled(),
          fatal: (reason) => this.#shutdown.fatal(reason),
          fail: (reason) => this.#shutdown.fail(reason),
          onPersistentFailure: failureEvents(this.#process, component, this.#kube, this.#session),
          completed: () => this.#shutdown.drain(exitCode.clean),
        }),
    );
  }

  /** Runs until the process is to end; resolves with its exit code. Throws where it cannot listen. */
  async run(): Promise<ExitCode> {
    const { processEnv } = this.#process;
    const shutdown = this.#shutdown;
    const unsubscribe = [processEnv.signals((signal) => shutdown.signalled(signal)), processEnv.faults((fault) => this.#unhandled(fault))];
    let closeEndpoints = () => {};
    try {
      closeEndpoints = serveEndpoints(this.#process, {
        ...{ registry: this.#registry, registries: this.#registries, scopes: this.#scopes, closed: this.#closed.signal },
        ...{ session: this.#session, elections: this.#elections, components: this.#components, shutdown },
        ...(this.#recorder && { recorder: this.#recorder }),
      });
      void this.#session?.run(this.#closed.signal).catch((error) => shutdown.fatal(messageOf(error)));
      const components = this.#runComponents();
      void reportStart(this.#process, { kube: this.#kube, session: this.#session, signal: shutdown.stopping });
      const { how, code } = await shutdown.requested;
      const end = how === "drain" ? await Promise.race([this.#drain(components, code), shutdown.immediate]) : { code };
      return end.code;
    } finally {
      shutdown.now(exitCode.failure);
      this.#closed.abort(new Error("the process ends"));
      void this.#elections?.end();
      closeEndpoints();
      this.#kube?.close();
      for (const each of unsubscribe) each();
    }
  }

  /** Runs the components under a lease in its terms, and the others all the time. Those that share terms share informers. */
  #runComponents(): Promise<unknown> {
    const endless = endlessTerm(this.#closed.signal);
    const byTerms = Map.groupBy(this.#components, ({ component }): Terms => this.#elections?.termsOf(component) ?? endless);
    const runs = [...byTerms].flatMap(([terms, components]) => {
      const informers = this.#termInformers(components);
      return components.map((each) => each.run(terms, informers, this.#shutdown.stopping));
    });
    return Promise.all(runs);
  }

  #termInformers(components: readonly ManagedComponent[]): TermInformers | undefined {
    const { clock } = this.#process.processEnv;
    const expected = () => components.filter(({ component, disabled }) => component.kube && disabled === undefined);
    return (
      this.#kube &&
      new TermInformers({
        create: this.#kube.informers,
        expected: () => expected().map(({ component }) => component.name),
        scopes: this.#scopes,
        clock,
      })
    );
  }

  /** A process in which nothing is left to run is of no use. */
  #exitIfAllDisabled(): void {
    const reasons = this.#components.map(({ disabled }) => disabled);
    if (reasons.every((reason) => reason !== undefined)) this.#shutdown.fatal(reasons.join("; "));
  }

  /** Lets work in flight finish, then releases the leases and sends the last events. */
  async #drain(components: Promise<unknown>, code: ExitCode): Promise<{ readonly code: ExitCode }> {
    const { processEnv, settings, log } = this.#process;
    const { shutdownTimeout } = settings.process;
    const over = new AbortController();
    const timer = processEnv.clock.after(shutdownTimeout, () => over.abort());
    await unlessAborted(over.signal, components);
    timer.cancel();
    if (over.signal.aborted) log.error(undefined, "Work in flight did not finish in time", { timeoutMs: shutdownTimeout });
    await this.#elections?.end();
    await this.#kube?.events.shutDown(eventGraceMs);
    return { code };
  }

  /** A rejection of unknown origin says nothing about what else is broken; an exception outside of all components is the process's own. */
  #unhandled(fault: Fault): void {
    const { kind, error } = fault;
    // The connection's own error: its channel has lost it, and does what the loss policy says.
    if (isProtocolViolation(error)) return;
    if (this.#scopes.attribute(fault)) return;
    const stack = error instanceof Error && error.stack ? { stack: error.stack } : {};
    if (kind === "rejection") {
      this.#metrics.unattributed();
      this.#process.log.error(error, "Unhandled rejection of unknown origin, nothing is restarted", stack);
      return;
    }
    this.#process.log.error(error, "Unhandled error", stack);
    this.#shutdown.fatal(messageOf(error));
  }
}
