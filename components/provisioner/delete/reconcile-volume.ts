import { messageOf } from "@csi-sidecars/base";
import { apiTimeoutMs, hasFinalizer, ignoreNotFound, loadSignal, removeFinalizerPatch } from "@csi-sidecars/controller";
import { done, isAbort, isForbidden, isNotFound, PersistentVolume, type Reconcile } from "@csi-sidecars/kube";
import type { Volume } from "../fields.ts";
import { finalizer } from "../names.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { loadSecret } from "../secret/secrets.ts";
import { matchesNode } from "../topology/match-node.ts";
import { type DeletePlan, planDelete } from "./plan-delete.ts";
import { planVolume } from "./plan-volume.ts";

/** Protects the volumes of the driver, and deletes the released ones: first the driver's volume, then the object, then our finalizer. */
export const reconcileVolume =
  (c: ProvisionerContext): Reconcile =>
  async (name, signal) => {
    const seen = c.volumes.get(name);
    if (!seen) return done;
    await c.locks.run(seen.spec?.claimRef?.uid ?? name, async () => {
      const volume = c.volumes.get(name);
      if (!volume || c.memory.deleted.get(volume.metadata.uid) === "released") return;
      const plan = planVolume(volume, c.driver);
      switch (plan.step) {
        case "none":
          return;
        case "protect":
        case "unprotect":
          if (!isOnOwnNode(c, volume)) return;
          await ignoreNotFound(c.kube.patch(PersistentVolume, { name }, plan.patch, { signal, timeoutMs: apiTimeoutMs }));
          return;
        case "delete":
          return deleteVolume(c, volume, signal);
      }
    });
    return done;
  };

/** In a node deployment each instance cares for the volumes of its node. */
function isOnOwnNode({ ownNode }: ProvisionerContext, { spec }: Volume): boolean {
  if (!ownNode || Object.keys(ownNode.labels).length === 0) return true;
  const match = matchesNode(spec?.nodeAffinity, ownNode.labels);
  return "matches" in match && match.matches;
}

async function deleteVolume(c: ProvisionerContext, volume: Volume, signal: AbortSignal): Promise<void> {
  const { name, uid } = volume.metadata;
  if (!c.memory.deleted.has(uid)) {
    const plan = planDelete(volume, {
      driver: c.driver,
      classOf: (className) => c.classes.get(className),
      attachments: c.attachmentsOf(name),
      ownNode: c.ownNode?.labels,
    });
    if (plan.step === "leave") return;
    await deleteAtDriver(c, volume, plan, signal);
    remember(c, volume, "volume");
  }
  await deleteObject(c, volume, signal);
}

/** What is done with a volume is of use only as long as the watch shows it. */
function remember({ volumes, memory }: ProvisionerContext, { metadata: { name, uid } }: Volume, done: "volume" | "released"): void {
  if (volumes.get(name)?.metadata.uid === uid) memory.deleted.set(uid, done);
  else memory.deleted.delete(uid);
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
    await c.controller.deleteVolume({ volumeId, secrets }, { timeoutMs: c.settings.timeoutMs, signal, migrated });
  } catch (error) {
    c.pace("volumes", loadSignal(error, c.failuresOf(volume.metadata.name)));
    if (!signal.aborted && !isAbort(error)) {
      c.metrics.deleteFailed(volume);
      c.events.deletionFailed(volume, messageOf(error));
    }
    throw error;
  }
  c.pace("volumes", "ok");
  c.roomChanged({ className: volume.spec?.storageClassName, nodeAffinity: volume.spec?.nodeAffinity });
  c.metrics.deleted(volume, (c.clock.monotonic() - started) / 1000);
}

/**
 * A secret that is gone must not keep the volume forever: the driver is asked without. One that only cannot be read now is waited for:
 * without it the driver may not find the volume, and take it for deleted.
 */
async function secretsOrNone(
  c: ProvisionerContext,
  { metadata }: Volume,
  secret: { readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<Record<string, string>> {
  return loadSecret(c.kube, secret, { signal, timeoutMs: apiTimeoutMs }).catch((error: unknown) => {
    const refusal = error instanceof Error ? error.cause : undefined;
    if (refusal !== undefined && !isNotFound(refusal) && !isForbidden(refusal)) throw error;
    c.log.error(error, "Deleting the volume without its secret", { volume: metadata.name });
    return {};
  });
}

async function deleteObject(c: ProvisionerContext, volume: Volume, signal: AbortSignal): Promise<void> {
  const { name, uid, deletionTimestamp } = volume.metadata;
  const options = { signal, timeoutMs: apiTimeoutMs };
  if (!deletionTimestamp) await ignoreNotFound(c.kube.delete(PersistentVolume, { name }, { ...options, preconditions: { uid } }));
  // Without a finalizer that is known of, it may have come on meanwhile: the watch will tell.
  if (!hasFinalizer(volume, finalizer.volume)) return;
  await ignoreNotFound(c.kube.patch(PersistentVolume, { name }, removeFinalizerPatch(volume, finalizer.volume), options));
  remember(c, volume, "released");
}
