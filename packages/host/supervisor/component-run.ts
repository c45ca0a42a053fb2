import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "@csi-sidecars/base";
import type { Fault } from "../program/process-env.ts";

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
 * Finds the component that an unhandled error belongs to, so that it alone is restarted. Only what is certain counts: an exception carries
 * its asynchronous context with it; a rejection does not in Bun, so its reason must have come out of something that this component alone
 * {@link ComponentScope.watch}ed. Who ran last proves nothing.
 */
export class ComponentScopes {
  readonly #current = new AsyncLocalStorage<Tracked>();
  /** The scope that an error came from; `undefined` if it came from several. */
  readonly #origins = new WeakMap<object, Tracked | undefined>();
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
            this.#cameFrom(error, scope);
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

  /** The component that was entered last, a hint for the report about a stall: the process's own work may have followed. */
  get lastEntered(): string | undefined {
    return this.#last?.component;
  }

  /** Reports an unhandled error to the component that it belongs to. `false`: that is not known. */
  attribute({ kind, error }: Fault): boolean {
    const scope = kind === "exception" ? this.#current.getStore() : isObject(error) ? this.#origins.get(error) : undefined;
    scope?.onUnhandled(error);
    return scope !== undefined;
  }

  /** One error may reject what several components wait for: the reason of a signal, the loss of a connection. */
  #cameFrom(error: unknown, scope: Tracked): void {
    if (!isObject(error)) return;
    const isShared = this.#origins.has(error) && this.#origins.get(error) !== scope;
    this.#origins.set(error, isShared ? undefined : scope);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
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
