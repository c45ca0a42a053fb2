import type { Logger } from "@csi-sidecars/base";
import type { ComponentMetrics } from "./component-metrics.ts";
import type { ComponentScope, ComponentScopes } from "./component-run.ts";

/**
 * The errors of one run that nobody handled. The first one ends the run; those that come after its end are only logged and counted.
 *
 * Whatever was opened in the run's context, such as a connection that all components share, refers to the run's scope for as long as it
 * lasts. So the scope refers to nothing but this, and this to nothing of the run once that has ended.
 */
export class UnhandledErrors {
  readonly #component: string;
  readonly #reports: { readonly log: Logger; readonly metrics: ComponentMetrics };
  #first: PromiseWithResolvers<never> | undefined = Promise.withResolvers<never>();
  #count = 0;

  constructor(component: string, reports: { readonly log: Logger; readonly metrics: ComponentMetrics }) {
    this.#component = component;
    this.#reports = reports;
    this.#first?.promise.catch(() => undefined);
  }

  /** The scope to which the errors belong. */
  scope(scopes: ComponentScopes): ComponentScope {
    return scopes.scope(this.#component, (error) => this.#add(error));
  }

  /** Rejects with the first error. */
  get first(): Promise<never> {
    return this.#first?.promise ?? Promise.reject(new Error(`${this.#component} has ended`));
  }

  get count(): number {
    return this.#count;
  }

  /** The run has ended. */
  end(): void {
    this.#first = undefined;
  }

  #add(error: unknown): void {
    const { log, metrics } = this.#reports;
    this.#count++;
    metrics.error(this.#component);
    const stack = error instanceof Error && error.stack ? { stack: error.stack } : {};
    log.error(error, "Unhandled error in controller", { controller: this.#component, ...stack });
    this.#first?.reject(error);
  }
}
