import { InfeasibleBackoff, runAll, waitForCacheSync } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import { openCaches } from "./caches.ts";
import { CapacityPublisher } from "./capacity/capacity-publisher.ts";
import { driverInfo } from "./driver-capabilities.ts";
import { addEventHandlers, retryOnNodeChanges } from "./event-handlers.ts";
import { snapshotFields } from "./fields.ts";
import type { ProvisionerComponentContext } from "./flags.ts";
import { findLocalNode } from "./node/local-node.ts";
import { findOrphanedVolumes, recoversOrphans, withOrphanRecovery } from "./provision/orphan-recovery.ts";
import { reconcileClaim } from "./provision/reconcile-claim.ts";
import { reconcileUnsavedVolume } from "./provision/save-volume.ts";
import { provisionerContext } from "./provisioner-context.ts";
import { newKeptState, ProvisionerState } from "./provisioner-state.ts";
import { reconcileCloneSource } from "./source/clone-protection.ts";
import { sweepSnapshots } from "./source/snapshot-protection.ts";
import { reconcileVolume } from "./volume/reconcile-volume.ts";

/** Asks the driver what it can do, waits for the caches, and works until the context's signal aborts. */
export async function startProvisioner(context: ProvisionerComponentContext, state = provisionerState(context)): Promise<Running> {
  const { flags, gates, driver, informers, log, signal } = context;
  const info = await driverInfo(driver.name, driver.capabilities, { topologyGate: gates.enabled("Topology"), timeoutMs: flags.timeout });
  const localNode = await findLocalNode(context);
  log.info("Starting controllers", { ...info });
  const caches = openCaches(context, info, localNode);
  const { topologies } = caches;
  const publishesCapacity = flags.enableCapacity && info.controllerService;
  if (flags.enableCapacity && !publishesCapacity) log.error(undefined, "No capacity is published: the driver has no controller service");
  const capacity = publishesCapacity && topologies ? new CapacityPublisher(context, { nodeName: localNode?.name, topologies }) : undefined;
  const c = await provisionerContext(context, { info, localNode, caches, capacity, state });
  addEventHandlers(c, caches);
  if (!(await waitForCacheSync(Object.values(caches), signal))) return { done: Promise.resolve() };

  const { claims, volumes, cloneSources, unsavedVolumes } = c.controllers;
  for (const uid of state.claimsInProgress) claims.enqueue(uid);
  for (const name of state.unsavedVolumes) unsavedVolumes.enqueue(name);
  if (topologies) retryOnNodeChanges(c, topologies, signal);
  const sweep = { intervalMs: flags.snapshotOrphanSweepInterval, snapshots: () => informers.forFields(snapshotFields) };
  const parts = [
    claims.run(withOrphanRecovery(c, reconcileClaim(c)), signal),
    volumes.run(reconcileVolume(c), signal),
    unsavedVolumes.run(reconcileUnsavedVolume(c), signal),
    ...(info.clonesVolumes ? [cloneSources.run(reconcileCloneSource(c), signal)] : []),
    ...(info.restoresSnapshots && sweep.intervalMs > 0 ? [sweepSnapshots(c, sweep, signal)] : []),
    ...(recoversOrphans(c) ? [findOrphanedVolumes(c, signal)] : []),
    ...(capacity ? [capacity.run()] : []),
  ];
  return { done: runAll(parts, signal) };
}

export function provisionerState({ flags, clock, keep }: Pick<ProvisionerComponentContext, "flags" | "clock" | "keep">): ProvisionerState {
  return new ProvisionerState(keep(newKeptState), new InfeasibleBackoff(flags.retryIntervalMax, clock));
}
