import type { Clock } from "@csi-sidecars/base";
import type { InformerFactory } from "@csi-sidecars/kube";
import type { Term } from "../leadership/leader-terms.ts";
import type { ComponentScopes } from "../supervisor/component-run.ts";

export interface TermInformersOptions {
  readonly create: () => InformerFactory;
  /** The components that will ask for caches in a term that begins. */
  readonly expected: () => readonly string[];
  readonly scopes: ComponentScopes;
  readonly clock: Clock;
}

/** The informers of a term. */
export interface SharedInformers {
  readonly informers: InformerFactory;
  /** The component has declared what it reads, or never will. */
  declared(component: string): void;
}

/** Gives each term informers of its own: without a term the process holds no watches, and after a loss nothing stale is left. */
export class TermInformers {
  readonly #options: TermInformersOptions;
  readonly #byTerm = new WeakMap<Term, SharedInformers>();

  constructor(options: TermInformersOptions) {
    this.#options = options;
  }

  forTerm(term: Term): SharedInformers {
    const known = this.#byTerm.get(term);
    if (known) return known;
    const { create, expected, scopes, clock } = this.#options;
    const { signal } = term;
    const shared = scopes.outside(() => {
      const informers = create();
      const start = new InformerStart(expected(), clock, signal, () => scopes.outside(() => informers.start(signal)));
      return { informers, declared: (component: string) => start.declared(component) };
    });
    this.#byTerm.set(term, shared);
    return shared;
  }
}

const maxWaitMs = 1_000;

/**
 * Starts the informers when every component has asked for its caches or has finished its start: what is declared before is listed
 * once, what comes later makes them list again. A slow component holds up the others for a second at most.
 */
export class InformerStart {
  readonly #expected: Set<string>;
  readonly #start: () => void;
  #started = false;

  constructor(components: readonly string[], clock: Clock, signal: AbortSignal, start: () => void) {
    const timer = clock.after(maxWaitMs, () => this.#begin());
    const cancel = () => timer.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    this.#expected = new Set(components);
    this.#start = () => {
      timer.cancel();
      signal.removeEventListener("abort", cancel);
      if (!signal.aborted) start();
    };
    if (components.length === 0) this.#begin();
  }

  /** The component has declared what it reads, or never will. */
  declared(component: string): void {
    this.#expected.delete(component);
    if (this.#expected.size === 0) this.#begin();
  }

  #begin(): void {
    if (this.#started) return;
    this.#started = true;
    this.#start();
  }
}
