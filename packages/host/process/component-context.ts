import type { Clock, Logger } from "@csi-sidecars/base";
import { Registry } from "@csi-sidecars/base/prometheus";
import type { Client, Environment, EventBroadcaster, InformerFactory, WorkQueueMetrics } from "@csi-sidecars/kube";
import type { Component, ComponentContext, Driver } from "../component.ts";
import { componentDriver, noDriver } from "../driver/component-driver.ts";
import type { DriverSession } from "../driver/driver-session.ts";
import type { FlagTable, FlagValues } from "../flags/flag.ts";
import type { Gates } from "../gates/gates.ts";
import { type ComponentInformers, componentInformers } from "../kube/component-informers.ts";
import type { ClientLimit } from "../kube/kube-access.ts";
import { noKube } from "../kube/no-kube.ts";
import { watchedClient } from "../kube/watched-client.ts";
import type { ComponentMetrics } from "../supervisor/component-metrics.ts";
import type { Incarnation } from "../supervisor/component-runner.ts";
import type { ComponentScopes } from "../supervisor/component-scope.ts";
import { scopedClock } from "../supervisor/scoped-clock.ts";
import type { HealthBoard } from "./health-board.ts";

/** What all components of a process share. */
export interface SharedParts {
  readonly session: DriverSession | undefined;
  readonly events: EventBroadcaster | undefined;
  readonly metrics: ComponentMetrics;
  /** The registries that are served; a run adds its own and takes it away, so that it can register its metrics anew. */
  readonly registries: Set<Registry>;
  readonly queueMetrics: WorkQueueMetrics;
  readonly scopes: ComponentScopes;
  readonly clock: Clock;
  readonly env: Environment;
  readonly alone: boolean;
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
  readonly health: HealthBoard;
  readonly spelled: (flag: string) => string;
  /** See {@link ComponentContext.keep}. */
  readonly kept: { value?: unknown };
}

/** What belongs to one run. */
export interface RunParts {
  readonly incarnation: Incarnation;
  readonly gates: Gates;
  readonly informers: InformerFactory | undefined;
  readonly mayAct: () => boolean;
  readonly onFirstInformer: () => void;
}

/** The context of one run of a component, and its caches. */
export function componentContext(
  shared: SharedParts,
  own: OwnParts,
  run: RunParts,
): { readonly context: ComponentContext; readonly caches: ComponentInformers | undefined } {
  const { session, events, scopes, clock } = shared;
  const { component, log, client, health } = own;
  const { incarnation, informers, mayAct } = run;
  const { scope, signal, onEnd } = incarnation;
  const nothing = noKube(component.name);
  const caches =
    informers && componentInformers({ informers, scope, scopes, clock: scopedClock(clock, scope), log, onFirst: run.onFirstInformer });
  if (caches) onEnd(() => caches.close());
  const metrics = new Registry();
  shared.registries.add(metrics);
  onEnd(() => shared.registries.delete(metrics));
  const driver = session ? componentDriver({ session, scope, log, mayAct }) : noDriver(component.name);
  const context: ComponentContext = {
    flags: own.flags,
    gates: run.gates,
    driver,
    kube: client ? watchedClient(client, scope) : nothing.client,
    kubeFor(purpose, limit) {
      const further = own.clientFor(purpose, limit);
      return further ? watchedClient(further, scope) : nothing.client;
    },
    informers: caches ?? nothing.informers,
    events: (source) => events?.recorder(source, log) ?? nothing.events(),
    metrics,
    queueMetrics: countFailures(shared.queueMetrics, () => shared.metrics.error(component.name)),
    log,
    clock: scopedClock(clock, scope),
    env: shared.env,
    health: (check) => onEnd(health.use((request) => scope.run(() => check(request)))),
    routes: (routes) => onEnd(health.paths.add(routes)),
    signal,
    alone: shared.alone,
    volumeFinalizers: () =>
      wantedOnVolumes(
        shared.enabled().filter((other) => other !== component),
        driver,
      ),
    keep<T>(first: () => T): T {
      own.kept.value ??= first();
      return own.kept.value as T;
    },
    spelled: own.spelled,
  };
  return { context, caches };
}

async function wantedOnVolumes(components: readonly Component[], driver: Driver): Promise<readonly string[]> {
  const wanted = await Promise.all(components.map((component) => component.volumeFinalizer?.(driver)));
  return wanted.filter((finalizer) => finalizer !== undefined);
}

/** Failed work items are errors of their component. */
function countFailures(metrics: WorkQueueMetrics, count: () => void): WorkQueueMetrics {
  return {
    forQueue(name) {
      const queue = metrics.forQueue(name);
      return {
        ...queue,
        failed() {
          queue.failed();
          count();
        },
      };
    },
  };
}
