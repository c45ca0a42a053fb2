import { messageOf, secondsSince } from "@csi-sidecars/base";
import { apiCallOptions, done, loadSignal, type Reconcile } from "@csi-sidecars/controller";
import { ignoreNotFound, isAbort, isForbidden, isNotFound, PersistentVolume } from "@csi-sidecars/kube";
import type { Volume } from "../fields.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { loadSecret } from "../secrets.ts";
import { matchesNode } from "../topology/node-affinity.ts";
import { type DeletePlan, planDelete, planVolume } from "./plan-volume.ts";
import { isProtected, removeVolumeFinalizer } from "./volume-finalizer.ts";

/** Protects the volumes of the driver, and deletes the released ones: first the driver's volume, then the object, then our finalizer. */
export const reconcileVolume =
  (c: ProvisionerContext): Reconcile =>
  async (name, signal) => {
    const seen = c.volumes.get(name);
    if (!seen) return done;
    await c.locks.run(seen.spec?.claimRef?.uid ?? name, async () => {
      const volume = c.volumes.get(name);
      if (!volume || c.state.deletionProgress(volume.metadata.uid) === "none") return;
      const plan = planVolume(volume, c.driver);
      switch (plan.step) {
        case "none":
          return;
        case "protect":
        case "unprotect":
          if (!isOnLocalNode(c, volume)) return;
          await ignoreNotFound(c.kube.patch(PersistentVolume, { name }, plan.patch, apiCallOptions(signal)));
          return;
        case "delete":
          return deleteVolume(c, volume, signal);
      }
    });
    return done;
  };

/** In a node deployment each instance handles the volumes of its node. */
function isOnLocalNode({ localNode }: ProvisionerContext, { spec }: Volume): boolean {
  if (!localNode || Object.keys(localNode.labels).length === 0) return true;
  const match = matchesNode(spec?.nodeAffinity, localNode.labels);
  return "matches" in match && match.matches;
}

async function deleteVolume(c: ProvisionerContext, volume: Volume, signal: AbortSignal): Promise<void> {
  const { name, uid } = volume.metadata;
  if (c.state.deletionProgress(uid) === undefined) {
    const plan = planDelete(volume, {
      driver: c.driver,
      classOf: (className) => c.classes.get(className),
      attachments: c.attachmentsOf(name),
      localNode: c.localNode?.labels,
    });
    if (plan.step === "leave") return;
    c.state.volumeReleased(volume.spec?.claimRef?.uid ?? "");
    await deleteAtDriver(c, volume, plan, signal);
    if (isGone(c, volume)) c.state.persistentVolumeGone(uid);
    else c.state.volumeDeletedAtDriver(uid);
  }
  await deleteObject(c, volume, signal);
}

/** Once the watch has shown that the PersistentVolume is gone, nothing would ever remove what is known of it. */
function isGone({ volumes }: ProvisionerContext, { metadata: { name, uid } }: Volume): boolean {
  return volumes.get(name)?.metadata.uid !== uid;
}

async function deleteAtDriver(
  c: ProvisionerContext,
  volume: Volume,
  plan: Exclude<DeletePlan, { step: "leave" }>,
  signal: AbortSignal,
): Promise<void> {
  const started = c.clock.monotonic();
  try {
    if (plan.step === "report") throw new Error(plan.message);
    const { volumeId, migrated, secret } = plan;
    const secrets = secret ? await secretsOrNone(c, volume, secret, signal) : {};
    await c.csiController.deleteVolume({ volumeId, secrets }, { timeoutMs: c.settings.timeoutMs, signal, migrated });
  } catch (error) {
    c.concurrency.volumes.observe(loadSignal(error, c.controllers.volumes.queue.numRequeues(volume.metadata.name)));
    if (!signal.aborted && !isAbort(error)) {
      c.metrics.deleteFailed(volume);
      c.events.deletionFailed(volume, messageOf(error));
    }
    throw error;
  }
  c.concurrency.volumes.observe("ok");
  c.capacity?.volumeChanged({ className: volume.spec?.storageClassName, nodeAffinity: volume.spec?.nodeAffinity });
  const seconds = secondsSince(c.clock, started);
  c.metrics.deleted(volume, seconds);
  c.log.v(2).info("Deleted the volume", { volume: volume.metadata.name, volumeId: volume.spec?.csi?.volumeHandle, seconds });
}

/**
 * A secret that is gone must not keep the volume forever: the driver is called without it. One that cannot be read at the moment is
 * retried: without it the driver may not find the volume, and take it for deleted.
 */
async function secretsOrNone(
  c: ProvisionerContext,
  { metadata }: Volume,
  secret: { readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<Record<string, string>> {
  return loadSecret(c.kube, secret, apiCallOptions(signal)).catch((error: unknown) => {
    const refusal = error instanceof Error ? error.cause : undefined;
    if (refusal !== undefined && !isNotFound(refusal) && !isForbidden(refusal)) throw error;
    c.log.error(error, "Deleting the volume without its secret", { volume: metadata.name });
    return {};
  });
}

async function deleteObject(c: ProvisionerContext, volume: Volume, signal: AbortSignal): Promise<void> {
  const { name, uid, deletionTimestamp } = volume.metadata;
  const options = apiCallOptions(signal);
  if (!deletionTimestamp) await ignoreNotFound(c.kube.delete(PersistentVolume, { name }, { ...options, preconditions: { uid } }));
  // Where the cache shows no finalizer, it may have been added meanwhile: the watch will show it.
  if (!isProtected(volume)) return;
  await removeVolumeFinalizer(c, volume, signal);
  if (isGone(c, volume)) c.state.persistentVolumeGone(uid);
  else c.state.volumeFinalizerRemoved(uid);
}
