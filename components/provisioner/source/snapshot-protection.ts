import { apiCallOptions, readAndUpdate, updateFrom, withFinalizer, withoutFinalizer } from "@csi-sidecars/controller";
import {
  apiVersionOf,
  type CallOptions,
  isConflict,
  isForbidden,
  isNotFound,
  keyOf,
  refKey,
  type V1VolumeSnapshot,
  type View,
  VolumeSnapshot,
} from "@csi-sidecars/kube";
import type { Snapshot } from "../fields.ts";
import { finalizer } from "../names.ts";
import type { ProtectedSource } from "../provision/provision-request.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";

/**
 * Adds our finalizer to a snapshot while it is restored; not being allowed to is no reason to refuse the restore. One that the snapshot
 * had when it was read may be another restore's, which has removed it meanwhile.
 */
export function protectSnapshot({ kube, locks, log }: ProvisionerContext, read: V1VolumeSnapshot, options: CallOptions): Promise<void> {
  const ref = { name: read.metadata?.name ?? "", namespace: read.metadata?.namespace ?? "" };
  const add = (fresh: V1VolumeSnapshot) => withFinalizer(fresh, finalizer.snapshotSource);
  return locks.run(lockOf(ref), async () => {
    try {
      if (add(read)) await updateFrom(kube, VolumeSnapshot, read, add, options);
      else await readAndUpdate(kube, VolumeSnapshot, ref, add, options);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      log.info("Cannot protect the snapshot while it is restored: the role lacks update of volumesnapshots", { snapshot: ref.name });
    }
  });
}

/** Removes our finalizer from a snapshot, unless it is needed when nobody else is adding or removing it. */
export function releaseSnapshot(
  { kube, locks }: Pick<ProvisionerContext, "kube" | "locks">,
  ref: ProtectedSource["ref"],
  isNeeded: () => boolean,
  options: CallOptions,
): Promise<void> {
  return locks.run(lockOf(ref), async () => {
    if (isNeeded()) return;
    try {
      await readAndUpdate(kube, VolumeSnapshot, ref, (fresh) => withoutFinalizer(fresh, finalizer.snapshotSource), options);
    } catch (error) {
      if (!isNotFound(error) && !isForbidden(error)) throw error;
    }
  });
}

const lockOf = (ref: ProtectedSource["ref"]) => `snapshot ${refKey(ref)}`;

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
      const isNeeded = () => !isOrphan(c, orphan, c.state.sourcesInUse("snapshot"));
      const ref = { name: metadata.name, namespace: metadata.namespace ?? "" };
      await releaseSnapshot(c, ref, isNeeded, apiCallOptions(signal)).catch((error: unknown) => {
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
      const { metadata } = await c.kube.list(VolumeSnapshot, { limit: 1, signal });
      await mayWatch(c, metadata.resourceVersion, signal);
      return true;
    } catch (error) {
      if (isForbidden(error)) {
        c.log.info("Snapshots may not be listed and watched: the sweep of their finalizers is disabled");
        return false;
      }
      if (signal.aborted) throw error;
      c.log.error(error, "Could not list snapshots; retried after the sweep interval");
      await c.clock.sleep(retryMs, signal);
    }
  }
}

/** Fails where watches are refused: a cache would ask for one again and again. */
async function mayWatch({ kube }: ProvisionerContext, resourceVersion: string | undefined, signal: AbortSignal): Promise<void> {
  const end = new AbortController();
  try {
    await kube.watch(VolumeSnapshot, { resourceVersion, signal: AbortSignal.any([signal, end.signal]) });
  } finally {
    end.abort();
  }
}
