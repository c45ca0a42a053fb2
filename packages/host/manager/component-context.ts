import type { Clock, Logger, Permit } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import type { Client, Environment, EventBroadcaster, InformerFactory, WorkQueueMetrics } from "@csi-sidecars/kube";
import type { Component, ComponentContext, Driver } from "../component.ts";
import { componentDriver, noDriver } from "../driver/component-driver.ts";
import type { DriverSession } from "../driver/driver-session.ts";
import type { FlagTable, FlagValues } from "../flags/flag.ts";
import type { Gates } from "../gates/feature-gates.ts";
import { noKube, watchedClient } from "../kube/component-client.ts";
import { type ComponentInformers, componentInformers } from "../kube/component-informers.ts";
import type { ClientLimit } from "../kube/kube-access.ts";
import type { ServedKinds } from "../kube/served-kinds.ts";
import { guardedEvents } from "../leadership/write-guard.ts";
import type { ComponentMetrics } from "../supervisor/component-metrics.ts";
import { type ComponentRun, type ComponentScopes, scopedClock } from "../supervisor/component-run.ts";
import type { ComponentHealth } from "./component-health.ts";

/** What all components of a process share. */
export interface SharedParts {
  readonly session: DriverSession | undefined;
  readonly events: EventBroadcaster | undefined;
  readonly served: ServedKinds;
  readonly metrics: ComponentMetrics;
  /** The registries that are served; a run adds its own and takes it away, so that the next one can register its metrics again. */
  readonly registries: Set<Registry>;
  readonly queueMetrics: WorkQueueMetrics;
  readonly scopes: ComponentScopes;
  readonly clock: Clock;
  readonly env: Environment;
  readonly isOnlyComponent: boolean;
  /** The components that run, or will. */
  readonly enabled: () => readonly Component[];
}

/** What belongs to one component, over all its runs. */
export interface OwnParts {
  readonly component: Component;
  readonly flags: FlagValues<FlagTable>;
  readonly log: Logger;
  /** Its client; absent in a component that needs no API server. */
  readonly client: Client | undefined;
  /** Opens a further one. */
  readonly clientFor: (purpose: string, limit: ClientLimit) => Client | undefined;
  readonly health: ComponentHealth;
  readonly flagName: (flag: string) => string;
  /** See {@link ComponentContext.keep}. */
  readonly kept: { value?: unknown };
}

/** What belongs to one run. */
export interface RunParts {
  readonly run: ComponentRun;
  readonly gates: Gates;
  readonly informers: InformerFactory | undefined;
  /** See {@link ComponentContext.abort}. */
  readonly abort: AbortSignal;
  /** To change something. */
  readonly permit: Permit;
  readonly onFirstInformer: () => void;
}

/** The context of one run of a component, and its informers. */
export function componentContext(
  shared: SharedParts,
  own: OwnParts,
  { run, gates, informers: factory, abort, permit, onFirstInformer }: RunParts,
): { readonly context: ComponentContext; readonly informers: ComponentInformers | undefined } {
  const { session, events, scopes, clock } = shared;
  const { component, log, client, health } = own;
  const { signal, onEnd } = run;
  const ownClock = scopedClock(clock, run);
  const nothing = noKube(component.name);
  const informers =
    factory && componentInformers({ informers: factory, scope: run, scopes, clock: ownClock, log, onFirst: onFirstInformer });
  if (informers) onEnd(() => informers.close());
  const metrics = new Registry();
  shared.registries.add(metrics);
  onEnd(() => shared.registries.delete(metrics));
  const driver = session
    ? componentDriver({ session, need: component.driver, ends: signal, scope: run, log, permit })
    : noDriver(component.name);
  const context: ComponentContext = {
    flags: own.flags,
    gates,
    driver,
    kube: client ? watchedClient(client, run) : nothing.client,
    kubeFor(purpose, limit) {
      const further = own.clientFor(purpose, limit);
      return further ? watchedClient(further, run) : nothing.client;
    },
    informers: informers ?? nothing.informers,
    events: (source, options) => (events ? guardedEvents(events.recorder(source, log, options), permit) : nothing.events()),
    metrics,
    queueMetrics: runQueueMetrics(shared.queueMetrics, onEnd, () => shared.metrics.error(component.name)),
    log,
    clock: ownClock,
    env: shared.env,
    health: (check) => onEnd(health.use((request) => run.run(() => check(request)))),
    signal,
    abort,
    isOnlyComponent: shared.isOnlyComponent,
    volumeFinalizers: () =>
      wantedOnVolumes(
        shared.enabled().filter((other) => other !== component),
        driver,
      ),
    keep<T>(first: () => T): T {
      own.kept.value ??= first();
      return own.kept.value as T;
    },
    flagName: own.flagName,
  };
  return { context, informers };
}

async function wantedOnVolumes(components: readonly Component[], driver: Driver): Promise<readonly string[]> {
  const wanted = await Promise.all(components.map((component) => component.volumeFinalizer?.(driver)));
  return wanted.filter((finalizer) => finalizer !== undefined);
}

/** Failed work items are errors of their component. The gauges let go of a run's queues when it has ended, also of those it never worked on. */
function runQueueMetrics(metrics: WorkQueueMetrics, onEnd: (release: () => void) => void, count: () => void): WorkQueueMetrics {
  return {
    forQueue(name) {
      const queue = metrics.forQueue(name);
      return {
        ...queue,
        failed() {
          queue.failed();
          count();
        },
        watch(state) {
          const end = queue.watch(state);
          onEnd(end);
          return end;
        },
      };
    },
  };
}
