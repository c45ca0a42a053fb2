import type { Clock } from "@csi-sidecars/base";
import type { InformerFactory } from "@csi-sidecars/kube";
import { InformerStart } from "../kube/informer-start.ts";
import type { ComponentScopes } from "../supervisor/component-scope.ts";
import type { Term } from "./terms.ts";

export interface TermCachesOptions {
  readonly create: () => InformerFactory;
  /** The components that will ask for caches in a term that begins. */
  readonly expected: (term: Term) => readonly string[];
  readonly scopes: ComponentScopes;
  readonly clock: Clock;
}

/** The caches of a term. */
export interface Caches {
  readonly informers: InformerFactory;
  /** The component has declared what it reads, or never will. */
  declared(component: string): void;
}

/** Gives each term caches of its own: without a term the process holds no watches, and after a loss nothing stale is left. */
export class TermCaches {
  readonly #options: TermCachesOptions;
  readonly #byTerm = new WeakMap<Term, Caches>();

  constructor(options: TermCachesOptions) {
    this.#options = options;
  }

  of(term: Term): Caches {
    const known = this.#byTerm.get(term);
    if (known) return known;
    const { create, expected, scopes, clock } = this.#options;
    const { signal } = term;
    const caches = scopes.outside(() => {
      const informers = create();
      const start = new InformerStart(expected(term), clock, signal, () => scopes.outside(() => informers.start(signal)));
      return { informers, declared: (component: string) => start.declared(component) };
    });
    this.#byTerm.set(term, caches);
    return caches;
  }
}
