import { type Logger, messageOf } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import { workQueueMetrics } from "@csi-sidecars/kube";
import type { DriverSession } from "../driver/driver-session.ts";
import { type ExitCode, exitCode } from "../flags/exit-code.ts";
import type { Settings } from "../flags/resolve.ts";
import { canonical } from "../flags/spellings.ts";
import type { Gates } from "../gates/gates.ts";
import type { KubeAccess } from "../kube/kube-access.ts";
import { componentMetrics } from "../supervisor/component-metrics.ts";
import { ComponentScopes } from "../supervisor/component-scope.ts";
import { unlessAborted } from "../supervisor/waiting.ts";
import type { SharedParts } from "./component-context.ts";
import { ComponentUnit } from "./component-unit.ts";
import type { Election } from "./election.ts";
import { Ending } from "./ending.ts";
import type { OutsideWorld } from "./outside-world.ts";
import type { Plan } from "./plan.ts";
import { processMetrics } from "./process-metrics.ts";
import { servePages } from "./serve-pages.ts";
import { newElection, newSession, openSharedKube } from "./shared-access.ts";
import type { SidecarProgram } from "./sidecar-program.ts";
import { reportStart } from "./start-report.ts";
import { TermCaches } from "./term-caches.ts";
import { endlessTerm } from "./terms.ts";

export interface ShellOptions {
  readonly program: SidecarProgram;
  readonly settings: Settings;
  readonly plan: Plan;
  readonly gates: Gates;
  readonly world: OutsideWorld;
  /** The logger of which all others are made, and the shell's own. */
  readonly root: Logger;
  readonly log: Logger;
}

const eventGraceMs = 2_000;

/** The process after its command line was understood: everything that its components share, from the first listener to the last drain. */
export class Shell {
  readonly #options: ShellOptions;
  readonly #ending = new Ending();
  /** Aborts when everything is over: what work in progress needs lasts until then. */
  readonly #closed = new AbortController();
  readonly #registry = new Registry();
  readonly #registries = new Set([this.#registry]);
  readonly #scopes = new ComponentScopes();
  readonly #session: DriverSession | undefined;
  readonly #kube: KubeAccess | undefined;
  readonly #election: Election | undefined;
  readonly #units: readonly ComponentUnit[];
  #failure: string | undefined;
  #drained = false;

  /** Opens nothing but the configuration of the API server; throws where that cannot work. */
  constructor(options: ShellOptions) {
    const { plan, settings, world, gates, root, log, program } = options;
    const { clock } = world;
    this.#options = options;
    processMetrics(this.#registry, clock);
    const metrics = componentMetrics(
      this.#registry,
      plan.enabled.map(({ name }) => name),
    );
    const registry = this.#registry;
    const blameReader = () => this.#scopes.current && metrics.error(this.#scopes.current);
    const kube = plan.needsKube ? openSharedKube(options, registry, blameReader) : undefined;
    const life = { draining: () => this.#ending.stopping.aborted, exit: () => this.#ending.now(exitCode.failure) };
    const session = plan.driver === "none" ? undefined : newSession(options, plan.driver, registry, life);
    this.#kube = kube;
    this.#session = session;
    this.#election =
      plan.elected.length > 0 && kube
        ? newElection(
            options,
            { kube, session, registry },
            {
              fatal: (because) => this.#fatal(because),
              inTheWay: (because) => {
                this.#failure = because;
                this.#ending.drain(exitCode.failure);
              },
              drained: () => this.#drained,
            },
          )
        : undefined;
    const shared: SharedParts = {
      session: this.#session,
      events: this.#kube?.events,
      metrics,
      registries: this.#registries,
      queueMetrics: workQueueMetrics(this.#registry),
      scopes: this.#scopes,
      clock,
      env: world.env,
      alone: plan.alone,
      enabled: () => this.#units.filter(({ disabled }) => disabled === undefined).map(({ component }) => component),
    };
    this.#units = plan.enabled.map(
      (component) =>
        new ComponentUnit({
          ...{ shared, component, gates, kube: this.#kube, lossPolicy: plan.lossPolicy },
          flags: settings.of(component),
          log: root.named(component.name),
          shellLog: log,
          restartLimit: settings.process.controllerRestartLimit,
          stopLimitMs: settings.process.shutdownTimeout,
          spelled: (flag) => canonical(program.form, component.name, flag),
          fatal: (because) => this.#fatal(because),
          completed: () => this.#ending.drain(exitCode.clean),
        }),
    );
  }

  /** Runs until the process is to end; resolves with its exit code. Throws where a listener cannot be had. */
  async run(): Promise<ExitCode> {
    const { world, log } = this.#options;
    const forget = [world.signals((signal) => this.#signalled(signal)), world.faults((error) => this.#uncaught(error))];
    let close = () => {};
    try {
      close = servePages(this.#options, {
        ...{ registry: this.#registry, registries: this.#registries, scopes: this.#scopes, closed: this.#closed.signal },
        ...{ session: this.#session, election: this.#election, units: this.#units, failure: () => this.#failure },
      });
      void this.#session?.run(this.#closed.signal).catch((error) => this.#fatal(messageOf(error)));
      const lives = this.#lives();
      void this.#report();
      const { how, code } = await this.#ending.wished;
      const end = how === "drain" ? await Promise.race([this.#drain(lives, code), this.#ending.immediate]) : { code };
      log.info("Exiting", { code: end.code });
      return end.code;
    } finally {
      this.#ending.now(exitCode.failure);
      this.#closed.abort(new Error("the process ends"));
      void this.#election?.end();
      close();
      this.#kube?.close();
      for (const stop of forget) stop();
    }
  }

  #lives(): Promise<unknown> {
    const { plan, world } = this.#options;
    const { stopping } = this.#ending;
    const endless = endlessTerm(this.#closed.signal);
    const termsOf = ({ component }: ComponentUnit) => (plan.elected.includes(component) ? (this.#election ?? endless) : endless);
    const caches =
      this.#kube &&
      new TermCaches({
        create: this.#kube.informers,
        expected: (term) =>
          this.#units
            .filter(
              (unit) =>
                unit.component.kube && unit.disabled === undefined && (term.signal === this.#closed.signal) === (termsOf(unit) === endless),
            )
            .map(({ component }) => component.name),
        scopes: this.#scopes,
        clock: world.clock,
      });
    return Promise.all(this.#units.map((unit) => unit.live(termsOf(unit), caches, stopping, () => this.#unitDisabled())));
  }

  async #report(): Promise<void> {
    const { program, plan, settings, gates, world, log } = this.#options;
    const { env, clock } = world;
    const { stopping: signal } = this.#ending;
    await reportStart({ program, plan, settings, gates, kube: this.#kube, session: this.#session, env, clock, log, signal });
  }

  /** A process in which nothing is left to run is of no use. */
  #unitDisabled(): void {
    const reasons = this.#units.map(({ disabled }) => disabled);
    if (reasons.every((reason) => reason !== undefined)) this.#fatal(reasons.join("; "));
  }

  /** Lets work in progress end, then gives the lease back. */
  async #drain(lives: Promise<unknown>, code: ExitCode): Promise<{ readonly code: ExitCode }> {
    const { world, settings, log } = this.#options;
    const over = new AbortController();
    const timer = world.clock.after(settings.process.shutdownTimeout, () => over.abort());
    await unlessAborted(over.signal, lives);
    timer.cancel();
    this.#drained = !over.signal.aborted;
    if (!this.#drained) log.error(undefined, "Work in progress did not end in time", { timeoutMs: settings.process.shutdownTimeout });
    await this.#election?.end();
    await this.#kube?.events.shutDown(eventGraceMs);
    return { code };
  }

  #signalled(signal: string): void {
    const { log } = this.#options;
    if (this.#ending.stopping.aborted) {
      log.info("Received a second signal, exiting at once", { signal });
      this.#ending.now(exitCode.failure);
    } else {
      log.info("Received a signal, shutting down", { signal });
      this.#ending.drain(exitCode.clean);
    }
  }

  #uncaught(error: unknown): void {
    if (this.#scopes.blame(error)) return;
    this.#options.log.error(error, "Nobody caught an error", error instanceof Error && error.stack ? { stack: error.stack } : {});
    this.#fatal(messageOf(error));
  }

  #fatal(because: string): void {
    if (this.#failure === undefined) this.#options.log.error(undefined, because);
    this.#failure ??= because;
    this.#ending.now(exitCode.failure);
  }
}
