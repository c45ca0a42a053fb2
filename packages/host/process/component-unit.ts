import type { Logger } from "@csi-sidecars/base";
import type { Client } from "@csi-sidecars/kube";
import type { Component, Running } from "../component.ts";
import { componentDriver, noDriver } from "../driver/component-driver.ts";
import type { FlagTable, FlagValues } from "../flags/flag.ts";
import type { Gates } from "../gates/gates.ts";
import type { Check } from "../http/check-pages.ts";
import type { ComponentInformers } from "../kube/component-informers.ts";
import type { ClientLimit, KubeAccess } from "../kube/kube-access.ts";
import { workLimit } from "../kube/limits.ts";
import { noKube } from "../kube/no-kube.ts";
import { ComponentRunner, type Incarnation } from "../supervisor/component-runner.ts";
import { componentContext, type OwnParts, type SharedParts } from "./component-context.ts";
import { live } from "./component-life.ts";
import { HealthBoard } from "./health-board.ts";
import { Preparation } from "./preparation.ts";
import type { TermCaches } from "./term-caches.ts";
import type { Term, Terms } from "./terms.ts";

export interface ComponentUnitOptions {
  readonly shared: SharedParts;
  readonly component: Component;
  readonly flags: FlagValues<FlagTable>;
  readonly gates: Gates;
  readonly kube: KubeAccess | undefined;
  /** The component's, named after it. */
  readonly log: Logger;
  /** The shell's. */
  readonly shellLog: Logger;
  readonly restartLimit: number;
  readonly stopLimitMs: number;
  readonly lossPolicy: "exit" | "restart";
  readonly spelled: (flag: string) => string;
  readonly fatal: (because: string) => void;
  readonly completed: () => void;
}

/** One component of the process with all that belongs to it, over all its runs. */
export class ComponentUnit {
  readonly component: Component;
  readonly health: HealthBoard;
  readonly #options: ComponentUnitOptions;
  readonly #runner: ComponentRunner;
  readonly #own: OwnParts;
  readonly #client: Client | undefined;
  #term: Term | undefined;
  #caches: ComponentInformers | undefined;

  constructor(options: ComponentUnitOptions) {
    const { component, flags, kube, log, shared, shellLog, restartLimit, stopLimitMs, fatal, completed, spelled } = options;
    const { clock, scopes, metrics, alone } = shared;
    this.#options = options;
    this.component = component;
    this.#runner = new ComponentRunner({
      component: component.name,
      ...{ clock, scopes, metrics, alone, log: shellLog, restartLimit, stopLimitMs, fatal, completed },
    });
    this.health = new HealthBoard(component.name, () => this.#runner.state);
    const client = (name: string, limit: ClientLimit) =>
      component.kube ? kube?.client(name, limit, log, () => this.#mayAct()) : undefined;
    this.#client = client(component.name, workLimit(flags));
    this.#own = {
      ...{ component, flags, log, client: this.#client, health: this.health, spelled, kept: {} },
      clientFor: (purpose, limit) => client(`${component.name}-${purpose}`, limit),
    };
  }

  get disabled(): string | undefined {
    const { state } = this.#runner;
    return state.is === "disabled" ? state.because : undefined;
  }

  /** For `/readyz?verbose`: always well, but tells what it does. */
  get check(): Check {
    return {
      name: this.component.name,
      problem: () => undefined,
      detail: () => {
        const { state } = this.#runner;
        const waiting = this.#caches?.waitingFor() ?? [];
        const details = ["because" in state ? `${state.is}: ${state.because}` : state.is];
        if (waiting.length > 0) details.push(`waiting for caches: ${waiting.join(", ")}`);
        return details.join("; ");
      },
    };
  }

  /** Runs it whenever it can be run, until the signal aborts. */
  live(terms: Terms, caches: TermCaches | undefined, stopping: AbortSignal, onDisabled: () => void): Promise<void> {
    const { shared, flags, gates, log, shellLog, stopLimitMs, fatal, lossPolicy } = this.#options;
    const { component } = this;
    const { session, clock, scopes } = shared;
    // Nothing runs yet that could be restarted.
    const scope = scopes.scope(component.name, (error) => {
      shared.metrics.error(component.name);
      shellLog.error(error, "Controller did not catch an error", { controller: component.name });
    });
    return live({
      ...{ component, session, terms, stopping, clock, stopLimitMs, fatal },
      log: shellLog,
      runner: this.#runner,
      preparation: new Preparation({
        ...{ component, flags, gates, clock, log, lossPolicy },
        kube: this.#client ?? noKube(component.name).client,
      }),
      driver: session ? componentDriver({ session, scope, log, mayAct: () => false }) : noDriver(component.name),
      disabled: onDisabled,
      launch: (incarnation, term, termGates) => this.#launch(incarnation, term, termGates, caches),
    });
  }

  async #launch(incarnation: Incarnation, term: Term, gates: Gates, termCaches: TermCaches | undefined): Promise<Running> {
    const { component } = this;
    const caches = component.kube ? termCaches?.of(term) : undefined;
    this.#term = term;
    incarnation.onEnd(() => {
      this.#term = undefined;
      this.#caches = undefined;
    });
    const run = componentContext(this.#options.shared, this.#own, {
      incarnation,
      gates,
      informers: caches?.informers,
      mayAct: () => this.#mayAct(),
      onFirstInformer: () => caches?.declared(component.name),
    });
    this.#caches = run.caches;
    try {
      return await component.start(run.context);
    } finally {
      caches?.declared(component.name);
    }
  }

  #mayAct(): boolean {
    return this.#term?.mayAct() === true;
  }
}
