import type { Logger } from "@csi-sidecars/base";
import { apiCallOptions, readAndUpdate, updateFrom, withFinalizer, withoutFinalizer } from "@csi-sidecars/controller";
import {
  apiVersionOf,
  type CallOptions,
  type Client,
  isConflict,
  isForbidden,
  isNotFound,
  keyOf,
  type V1VolumeSnapshot,
  type View,
  VolumeSnapshot,
} from "@csi-sidecars/kube";
import type { Snapshot } from "../fields.ts";
import { finalizer } from "../names.ts";
import type { ProtectedSource } from "../provision/provision-request.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";

/** Adds our finalizer to a snapshot while it is restored; not being allowed to is no reason to refuse the restore. */
export async function protectSnapshot(client: Client, read: V1VolumeSnapshot, options: CallOptions, log: Logger): Promise<void> {
  try {
    await updateFrom(client, VolumeSnapshot, read, (fresh) => withFinalizer(fresh, finalizer.snapshotSource), options);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    log.info("Cannot protect the snapshot while it is restored: the role lacks update of volumesnapshots", {
      snapshot: read.metadata?.name,
    });
  }
}

/** Removes our finalizer from a snapshot. */
export async function releaseSnapshot(client: Client, { ref }: Pick<ProtectedSource, "ref">, options: CallOptions): Promise<void> {
  try {
    await readAndUpdate(client, VolumeSnapshot, ref, (fresh) => withoutFinalizer(fresh, finalizer.snapshotSource), options);
  } catch (error) {
    if (!isNotFound(error) && !isForbidden(error)) throw error;
  }
}

export interface SweepOptions {
  readonly intervalMs: number;
  /** Opens the cache of snapshots; called only where they may be read. */
  snapshots(): View<Snapshot>;
}

/**
 * Removes our finalizer from snapshots that no restore needs any more: restores that were given up, that ended in another namespace, or
 * whose end was not recorded. Ends at once where the cluster has no snapshots or they may not be read.
 */
export async function sweepSnapshots(c: ProvisionerContext, options: SweepOptions, signal: AbortSignal): Promise<void> {
  if (!(await canSweep(c, options.intervalMs, signal))) return;
  const snapshots = options.snapshots();
  await snapshots.waitForSync(signal);
  while (!signal.aborted) {
    const running = c.state.sourcesInUse("snapshot");
    const orphans = snapshots.list().filter((snapshot) => isOrphan(c, snapshot, running));
    for (const orphan of orphans) {
      if (signal.aborted) return;
      const { metadata } = orphan;
      // A sweep of many takes long: a restore may have started meanwhile.
      if (!isOrphan(c, orphan, c.state.sourcesInUse("snapshot"))) continue;
      const ref = { name: metadata.name, namespace: metadata.namespace ?? "" };
      await releaseSnapshot(c.kube, { ref }, apiCallOptions(signal)).catch((error: unknown) => {
        if (!isConflict(error))
          c.log.error(error, "Could not remove the finalizer of the snapshot; the next sweep retries it", { snapshot: ref });
      });
    }
    await c.clock.sleep(options.intervalMs, signal);
  }
}

function isOrphan({ claimsRestoring }: ProvisionerContext, { metadata }: Snapshot, running: ReadonlySet<string>): boolean {
  if (!metadata.finalizers?.includes(finalizer.snapshotSource)) return false;
  const key = keyOf({ metadata });
  return !running.has(key) && claimsRestoring(key).length === 0;
}

async function canSweep(c: ProvisionerContext, retryMs: number, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    try {
      const kinds = await c.kube.discover(apiVersionOf(VolumeSnapshot), { signal });
      if (!kinds?.some(({ kind }) => kind === VolumeSnapshot.kind)) return false;
      await c.kube.list(VolumeSnapshot, { limit: 1, signal });
      return true;
    } catch (error) {
      if (isForbidden(error)) {
        c.log.info("Snapshots may not be listed: the sweep of their finalizers is disabled");
        return false;
      }
      if (signal.aborted) throw error;
      c.log.error(error, "Could not list snapshots; retried after the sweep interval");
      await c.clock.sleep(retryMs, signal);
    }
  }
}
