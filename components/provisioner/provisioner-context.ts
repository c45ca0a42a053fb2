import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock, Logger } from "@csi-sidecars/base";
import { KeyedMutex } from "@csi-sidecars/controller";
import type { DriverClient } from "@csi-sidecars/csi";
import type { Client, StoreReader } from "@csi-sidecars/kube";
import { type CacheLookups, type Caches, indexCaches } from "./caches.ts";
import type { VolumeChange } from "./capacity/affected-items.ts";
import { adaptConcurrency, type Concurrency, type Controllers, createControllers } from "./controllers.ts";
import type { DriverInfo } from "./driver-capabilities.ts";
import { type Events, provisionerEvents } from "./events.ts";
import type { Claim, Class, Volume } from "./fields.ts";
import type { ProvisionerComponentContext } from "./flags.ts";
import { type ProvisionerMetrics, provisionerMetrics } from "./metrics.ts";
import type { LocalNode } from "./node/local-node.ts";
import type { ProvisionerState } from "./provisioner-state.ts";
import { type Settings, settingsOf } from "./settings.ts";
import type { NodeTopologies } from "./topology/node-topologies.ts";

/** What the parts of the component share. */
export interface ProvisionerContext extends CacheLookups {
  readonly driver: DriverInfo;
  /** The CSI controller service of the driver. */
  readonly csiController: DriverClient["controller"];
  readonly settings: Settings;
  /** Which run of which provisioner this is: an attribute of the volumes it creates. */
  readonly identity: string;
  /** Finalizers that other controllers of this process want on new volumes. */
  readonly otherFinalizers: readonly string[];
  readonly kube: Client;
  readonly claims: Pick<StoreReader<Claim>, "get">;
  readonly volumes: Pick<StoreReader<Volume>, "get" | "list">;
  readonly classes: Pick<StoreReader<Class>, "get">;
  /** Only for a driver with topology. */
  readonly nodes: NodeTopologies | undefined;
  /** Only in a node deployment. */
  readonly localNode: LocalNode | undefined;
  readonly state: ProvisionerState;
  readonly controllers: Controllers;
  /** How many calls of CreateVolume and of DeleteVolume run at the same time. */
  readonly concurrency: Concurrency;
  /** By the claim's uid: a claim and its volume are never worked on at the same time. */
  readonly locks: KeyedMutex;
  /** Only where capacity is published: it changes with every volume that is created, may have been created, or is deleted. */
  readonly capacity: { volumeChanged(change: VolumeChange): void } | undefined;
  readonly events: Events;
  readonly metrics: ProvisionerMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What {@link provisionerContext} is made of beside the component's context. */
export interface ContextParts {
  readonly info: DriverInfo;
  readonly localNode: LocalNode | undefined;
  readonly caches: Caches;
  readonly capacity: ProvisionerContext["capacity"];
  readonly state: ProvisionerState;
}

export async function provisionerContext(context: ProvisionerComponentContext, parts: ContextParts): Promise<ProvisionerContext> {
  const { driver, kube, clock, log } = context;
  const { info, localNode, caches, capacity, state } = parts;
  const lookups = indexCaches(caches, info);
  const controllers = createControllers(context, lookups, state);
  const metrics = provisionerMetrics(context.metrics, state);
  const source = `${driver.name}_${hostname()}_${randomUUID()}`;
  return {
    driver: info,
    csiController: driver.client.controller,
    settings: settingsOf(context),
    identity: [clock.now(), Math.floor(Math.random() * 10_000), driver.name, ...(localNode ? [localNode.name] : [])].join("-"),
    otherFinalizers: await context.volumeFinalizers(),
    claims: caches.claims,
    volumes: caches.volumes,
    classes: caches.classes,
    nodes: info.topology ? caches.topologies : undefined,
    concurrency: adaptConcurrency(context, controllers, metrics),
    locks: new KeyedMutex(),
    events: provisionerEvents(context.events(source), context.events("external-provisioner")),
    ...lookups,
    ...{ kube, localNode, state, controllers, capacity, metrics, clock, log },
  };
}
