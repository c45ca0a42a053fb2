import { AsyncLocalStorage } from "node:async_hooks";

/** One run of a component, from its start to its end: what it sets off, timers and promises included, belongs to it. */
export interface ComponentScope {
  readonly component: string;
  /** Runs `work` so that what comes of it is known to be the component's. */
  run<T>(work: () => T): T;
  /** Like `run`, for callbacks that nobody waits for: what they throw is a fault of the component. */
  call(work: () => void): void;
  /** Follows a promise that the component is going to wait for: its continuation, and an error that nobody catches, are the component's. */
  watch<T>(promise: Promise<T>): Promise<T>;
}

interface Tracked extends ComponentScope {
  readonly fault: (error: unknown) => void;
}

/**
 * Finds the component that an error nobody caught belongs to, so that it alone is restarted. Exceptions carry their asynchronous
 * context with them. Rejections do not in Bun: there the error itself is recognised if it came out of something that was
 * {@link ComponentScope.watch}ed, and otherwise the scope that was entered last counts.
 */
export class ComponentScopes {
  readonly #current = new AsyncLocalStorage<Tracked>();
  readonly #blamed = new WeakMap<object, Tracked>();
  #last: Tracked | undefined;

  /** A scope for one run of a component; `fault` is told what nobody caught. */
  scope(component: string, fault: (error: unknown) => void): ComponentScope {
    const scope: Tracked = {
      component,
      fault,
      run: (work) => {
        this.#last = scope;
        return this.#current.run(scope, work);
      },
      call: (work) => {
        try {
          scope.run(work);
        } catch (error) {
          fault(error);
        }
      },
      watch: (promise) =>
        promise.then(
          (value) => {
            this.#last = scope;
            return value;
          },
          (error) => {
            this.#last = scope;
            if (typeof error === "object" && error !== null) this.#blamed.set(error, scope);
            throw error;
          },
        ),
    };
    return scope;
  }

  /** Runs `work` for the process itself although a component asked for it. */
  outside<T>(work: () => T): T {
    return this.#current.exit(work);
  }

  /** The component in whose context this is asked. */
  get current(): string | undefined {
    return this.#current.getStore()?.component;
  }

  /** The component that ran last, as far as known: for the report about a stall. */
  get lastEntered(): string | undefined {
    return this.#last?.component;
  }

  /** Tells the component an uncaught error belongs to. `false`: it is nobody's. */
  blame(error: unknown): boolean {
    const known = typeof error === "object" && error !== null ? this.#blamed.get(error) : undefined;
    const scope = this.#current.getStore() ?? known ?? this.#last;
    scope?.fault(error);
    return scope !== undefined;
  }
}
