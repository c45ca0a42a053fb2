import type { Clock, Logger, Timer } from "@csi-sidecars/base";
import { type Cached, groupResourceOf, type Handler, type Informers, type NamedInformerStatus, type View } from "@csi-sidecars/kube";
import type { ComponentScope, ComponentScopes } from "../supervisor/component-run.ts";

export interface ComponentInformersOptions {
  readonly informers: Informers & { status(): readonly NamedInformerStatus[] };
  readonly scope: ComponentScope;
  readonly scopes: ComponentScopes;
  readonly clock: Clock;
  /** The component's. */
  readonly log: Logger;
  /** The component asked for its first cache. */
  readonly onFirst?: () => void;
}

/** The shared caches as one run of a component sees them. */
export interface ComponentInformers extends Informers {
  /** The kinds that are not synced yet, with what keeps failing. */
  waitingFor(): readonly string[];
  /** Closes all views. */
  close(): void;
}

const reportMs = 30_000;

/**
 * Lends the shared caches to one run of a component. Handlers run as the component's; the caches behind them are the process's,
 * so they outlive it. As long as a cache is not synced, that is logged every 30 seconds.
 */
export function componentInformers(options: ComponentInformersOptions): ComponentInformers {
  const { informers, scope, scopes, clock, log } = options;
  const views = new Map<View<Cached>, string>();
  let closed = false;
  let timer: Timer | undefined;

  const waitingFor = () => {
    const kinds = new Set([...views].filter(([view]) => !view.hasSynced()).map(([, kind]) => kind));
    const failing = new Map(
      informers.status().map(({ informer, failing: problem }) => [informer.split(" ", 1)[0], problem?.error.message]),
    );
    return [...kinds].map((kind) => (failing.get(kind) ? `${kind} (${failing.get(kind)})` : kind));
  };
  const report = () => {
    timer = undefined;
    const kinds = waitingFor();
    if (kinds.length === 0) return;
    log.info(`waiting for caches: ${kinds.join(", ")}`);
    timer = clock.after(reportMs, report);
  };

  return {
    forFields(fields, selection) {
      if (closed) throw new Error("the component has ended and gets no more caches");
      const view = scopes.outside(() => informers.forFields(fields, selection));
      const owned: typeof view = {
        ...view,
        addHandler: (handler, handlerOptions) => view.addHandler(ownedHandler(handler, scope), handlerOptions),
        waitForSync: (signal) => scope.watch(view.waitForSync(signal)),
        close() {
          views.delete(owned);
          view.close();
        },
      };
      views.set(owned, groupResourceOf(fields.resource));
      timer ??= clock.after(reportMs, report);
      if (views.size === 1) options.onFirst?.();
      return owned;
    },
    waitingFor,
    close() {
      closed = true;
      timer?.cancel();
      for (const view of [...views.keys()]) view.close();
    },
  };
}

/** The handler, each call attributed to the component. */
function ownedHandler<P>(handler: Handler<P>, scope: ComponentScope): Handler<P> {
  return {
    ...(handler.onAdd && { onAdd: (object, info) => scope.run(() => handler.onAdd?.(object, info)) }),
    ...(handler.onUpdate && { onUpdate: (old, object) => scope.run(() => handler.onUpdate?.(old, object)) }),
    ...(handler.onDelete && { onDelete: (object, info) => scope.run(() => handler.onDelete?.(object, info)) }),
  };
}
