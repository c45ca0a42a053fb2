import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "@csi-sidecars/base";

/** Attributes work to a component: what is set off inside, timers and promises included, belongs to it. */
export interface ComponentScope {
  readonly component: string;
  /** Runs `work` as the component's. */
  run<T>(work: () => T): T;
  /** Like `run`, for callbacks that nobody awaits: what they throw is a failure of the component. */
  call(work: () => void): void;
  /** Follows a promise that the component is going to await: its continuation, and an error that nobody handles, are the component's. */
  watch<T>(promise: Promise<T>): Promise<T>;
}

/** One run of a component, from its start to its end. */
export interface ComponentRun extends ComponentScope {
  /** Aborts when the run is to end. */
  readonly signal: AbortSignal;
  /** Releases something when the run has ended; the last one first. */
  onEnd(release: () => void): void;
}

interface Tracked extends ComponentScope {
  readonly onUnhandled: (error: unknown) => void;
}

/**
 * Finds the component that an unhandled error belongs to, so that it alone is restarted. Exceptions carry their asynchronous
 * context with them. Rejections do not in Bun: there the error itself is recognised if it came out of something that was
 * {@link ComponentScope.watch}ed, and otherwise the scope that was entered last counts.
 */
export class ComponentScopes {
  readonly #current = new AsyncLocalStorage<Tracked>();
  readonly #attributed = new WeakMap<object, Tracked>();
  #last: Tracked | undefined;

  /** A scope of a component; `onUnhandled` gets its unhandled errors. */
  scope(component: string, onUnhandled: (error: unknown) => void): ComponentScope {
    const scope: Tracked = {
      component,
      onUnhandled,
      run: (work) => {
        this.#last = scope;
        return this.#current.run(scope, work);
      },
      call: (work) => {
        try {
          scope.run(work);
        } catch (error) {
          onUnhandled(error);
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
            if (typeof error === "object" && error !== null) this.#attributed.set(error, scope);
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

  /** Reports an unhandled error to the component that it belongs to. `false`: it is nobody's. */
  attributeError(error: unknown): boolean {
    const known = typeof error === "object" && error !== null ? this.#attributed.get(error) : undefined;
    const scope = this.#current.getStore() ?? known ?? this.#last;
    scope?.onUnhandled(error);
    return scope !== undefined;
  }
}

/** A component's clock: what its timers throw is a failure of the component. */
export function scopedClock(clock: Clock, scope: ComponentScope): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms, fn) => clock.after(ms, () => scope.call(fn)),
    sleep: (ms, signal) => scope.watch(clock.sleep(ms, signal)),
  };
}
