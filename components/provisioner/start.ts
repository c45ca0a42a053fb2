import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { messageOf } from "@csi-sidecars/base";
import { AdaptiveConcurrency, Debounce, KeyedMutex } from "@csi-sidecars/controller";
import type { Running } from "@csi-sidecars/host";
import {
  defaultControllerLimiter,
  isAbort,
  itemExponential,
  type KubeObject,
  keyOf,
  projector,
  RateLimitingQueue,
  type Reconcile,
  TransportError,
  type V1PersistentVolume,
  type View,
  Workers,
  type WorkersOptions,
} from "@csi-sidecars/kube";
import { publishCapacity } from "./capacity/publish-capacity.ts";
import type { RunningCapacity } from "./capacity/start-capacity.ts";
import { reconcileVolume } from "./delete/reconcile-volume.ts";
import { driverFacts } from "./driver-facts.ts";
import { provisionerEvents } from "./events.ts";
import { type Claim, claimFields, grantFields, snapshotFields } from "./fields.ts";
import type { ProvisionerComponentContext } from "./flags.ts";
import { emptyMemory, type Lasting, type Memory, nothingLasting } from "./memory.ts";
import { messages } from "./messages.ts";
import { provisionerMetrics } from "./metrics.ts";
import { ownNode } from "./node/own-node.ts";
import { openTopologies, openViews } from "./open-caches.ts";
import { recallDeletedClaims, recallInherited, recalling } from "./provision/deleted-claims.ts";
import { reconcileClaim } from "./provision/reconcile-claim.ts";
import { UnsavedVolumes } from "./provision/unsaved-volumes.ts";
import type { ProvisionerContext } from "./provisioner-context.ts";
import { settingsOf } from "./settings.ts";
import { reconcileCloneSource } from "./source/clone-protection.ts";
import { sweepSnapshots } from "./source/snapshot-sweep.ts";
import { index, type Queues, watchObjects } from "./watch-objects.ts";

/** As many as upstream: saving is only waiting for the API server. */
const savers = 4;

/** How long changes of nodes are gathered before claims that wait for one are tried: a millisecond for each of these, but so long at least. */
const shortestPauseMs = 100;

/** Asks the driver what it can do, waits for the caches, and works until the context's signal aborts. `memory`: for those who want to look at it. */
export async function startProvisioner(
  context: ProvisionerComponentContext,
  lasting: Lasting = context.keep?.(nothingLasting) ?? nothingLasting(),
  memory: Memory = emptyMemory(lasting.inProgress),
): Promise<Running> {
  const { flags, gates, driver, informers, kube, clock, log, signal } = context;
  const facts = await driverFacts(driver.name, driver.capabilities, { topologyGate: gates.enabled("Topology"), timeoutMs: flags.timeout });
  const own = await ownNode(context);
  log.info("Serving the driver", { ...facts });

  const settings = settingsOf(context);
  const views = openViews(context, facts, own);
  const grants = settings.crossNamespace ? informers.forFields(grantFields) : undefined;
  const nodes = openTopologies(context, facts, own);
  const queues = openQueues(context);
  const unsavedQueue = new RateLimitingQueue({
    clock,
    metrics: context.queueMetrics.forQueue("unsavedpvs"),
    limiter: defaultControllerLimiter(clock),
  });
  const source = `${driver.name}_${hostname()}_${randomUUID()}`;
  const events = provisionerEvents(context.events(source), context.events("external-provisioner"));
  const claimOf = (volume: V1PersistentVolume) => {
    const { uid, namespace = "", name = "" } = volume.spec?.claimRef ?? {};
    const claim = views.claims.get(`${namespace}/${name}`);
    return claim?.metadata.uid === uid ? claim : undefined;
  };
  const unsaved = new UnsavedVolumes({
    kube,
    queue: unsavedQueue,
    volumes: lasting.unsaved,
    onSaved(volume, late) {
      const claim = claimOf(volume);
      if (claim) events.provisioned(claim, volume.metadata?.name ?? "");
      if (late) queues.claims.add(volume.spec?.claimRef?.uid ?? "");
    },
    onAnothers(volume) {
      const uid = volume.spec?.claimRef?.uid ?? "";
      memory.provisioned.delete(uid);
      queues.claims.add(uid);
    },
    onFailed(volume, error) {
      log.error(error, "Could not save the PersistentVolume, will be tried again", { volume: volume.metadata?.name });
      const claim = claimOf(volume);
      if (claim && !(error instanceof TransportError) && !isAbort(error)) events.failed(claim, messages.volumeUnsaved(messageOf(error)));
    },
  });
  const metrics = provisionerMetrics(context.metrics, { inProgress: () => memory.inProgress.size, unsaved: () => unsaved.size });

  const c: ProvisionerContext = {
    driver: facts,
    controller: driver.client.controller,
    identity: [clock.now(), Math.floor(Math.random() * 10_000), driver.name, ...(own ? [own.name] : [])].join("-"),
    neighbourFinalizers: await context.volumeFinalizers(),
    claims: views.claims,
    claimOf: (uid) => views.claims.byIndex(index.uid, uid)[0],
    volumes: views.volumes,
    classes: views.classes,
    attachmentsOf: (volume) => views.attachments?.byIndex(index.volume, volume) ?? [],
    restoresOf: (snapshot) => views.claims.byIndex(index.snapshot, snapshot),
    cloneEnded: (source) => queues.cloneSources.add(source),
    grantsIn: (namespace) => grants?.list(namespace) ?? [],
    nodes: facts.topology ? nodes : undefined,
    ownNode: own,
    locks: new KeyedMutex(),
    failuresOf: (key) => queues.claims.numRequeues(key) + queues.volumes.numRequeues(key),
    pace: (of, sign) => pacers[of].observe(sign),
    roomChanged: (change) => capacity?.volumeChanged(change),
    ...{ settings, kube, memory, unsaved, events, metrics, clock, log },
  };
  let capacity: RunningCapacity | undefined;
  // Marks remember better, and an instance of a node deployment does not know whose a claim was.
  const recalls = settings.recallDeletedClaims && !settings.persistInProgress && !own;
  watchObjects(views, queues, facts, memory, recalls ? (claim) => recallInherited(c, claim) : undefined);
  const workers = (queue: RateLimitingQueue, reconcile: Reconcile, concurrency: number, describe?: WorkersOptions["describe"]) =>
    new Workers({ queue, reconcile, concurrency, clock, log, ...(describe && { describe }) });
  const claimWorkers = workers(queues.claims, recalling(c, reconcileClaim(c)), flags.workerThreads, (uid) => {
    const claim = c.claimOf(uid) ?? memory.inProgress.get(uid)?.claim;
    return claim ? { claim: keyOf(claim) } : {};
  });
  const volumeWorkers = workers(queues.volumes, reconcileVolume(c), flags.workerThreads);
  const cloneWorkers = workers(
    queues.cloneSources,
    reconcileCloneSource(c, (key) => views.claims.byIndex(index.cloneSource, key)),
    flags.cloningProtectionThreads,
  );
  const saveWorkers = workers(unsavedQueue, unsaved.reconcile, savers);
  const pacers = { claims: pacer("claims", claimWorkers), volumes: pacer("volumes", volumeWorkers) };
  function pacer(of: "claims" | "volumes", paced: Workers): AdaptiveConcurrency {
    const apply = (limit: number) => {
      paced.setConcurrency(limit);
      metrics.limit(of, limit);
    };
    return new AdaptiveConcurrency(flags.workerThreads, apply, clock);
  }

  await synced([views.claims, views.volumes, views.classes, views.attachments, grants, nodes], signal);
  for (const uid of memory.inProgress.keys()) queues.claims.add(uid);
  const waking = new Debounce({
    clock,
    delayMs: () => Math.max(shortestPauseMs, memory.nodeProblems.size),
    work() {
      for (const uid of memory.nodeProblems.keys()) queues.claims.add(uid);
    },
  });
  const stopWaking = nodes?.onChange(() => {
    if (memory.nodeProblems.size > 0) waking.trigger();
  });
  if (flags.enableCapacity && nodes) capacity = publishCapacity(context, { own, nodes });
  const sweep = flags.snapshotOrphanSweepInterval > 0 && facts.restoresSnapshots;
  const projected = projector(claimFields.tree);
  const projectClaim = (object: KubeObject) => projected(object) as Claim;
  const parts = [
    claimWorkers.run(signal),
    volumeWorkers.run(signal),
    ...(facts.clonesVolumes ? [cloneWorkers.run(signal)] : []),
    saveWorkers.run(signal),
    ...(recalls ? [recallDeletedClaims(c, projectClaim, (uid) => queues.claims.add(uid, "low"), signal)] : []),
    ...(capacity ? [capacity.done] : []),
    ...(sweep
      ? [
          sweepSnapshots(
            c,
            {
              intervalMs: flags.snapshotOrphanSweepInterval,
              snapshots: () => informers.forFields(snapshotFields),
            },
            signal,
          ),
        ]
      : []),
  ];
  const run = async () => {
    try {
      await Promise.all(parts.map((part) => unlessStopped(part, signal)));
    } finally {
      stopWaking?.();
      waking.stop();
    }
  };
  return { done: run() };
}

function openQueues({ clock, flags, queueMetrics }: ProvisionerComponentContext): Queues {
  const queue = (name: string) =>
    new RateLimitingQueue({
      clock,
      metrics: queueMetrics.forQueue(name),
      limiter: itemExponential(flags.retryIntervalStart, flags.retryIntervalMax),
    });
  return { claims: queue("claims"), volumes: queue("volumes"), cloneSources: queue("claims") };
}

async function synced(caches: readonly (Pick<View<never>, "waitForSync"> | undefined)[], signal: AbortSignal): Promise<void> {
  await Promise.all(caches.map((cache) => cache?.waitForSync(signal)));
}

async function unlessStopped(part: Promise<void>, signal: AbortSignal): Promise<void> {
  await part.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
