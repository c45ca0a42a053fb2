import type { Logger } from "@csi-sidecars/base";
import { readAndUpdate, updateFrom, withFinalizer, withoutFinalizer } from "@csi-sidecars/controller";
import {
  type CallOptions,
  type Client,
  isForbidden,
  isNotFound,
  PersistentVolumeClaim,
  type V1VolumeSnapshot,
  VolumeSnapshot,
} from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import { finalizer } from "../names.ts";
import type { ProtectedSource } from "../provision/provision-request.ts";

/** Keeps a claim from going away while it is cloned. `cached` saves the request where it is kept already. */
export async function protectClaim(client: Client, cached: Claim, options: CallOptions): Promise<void> {
  if (cached.metadata.finalizers?.includes(finalizer.cloneSource)) return;
  const ref = { name: cached.metadata.name, namespace: cached.metadata.namespace };
  await readAndUpdate(client, PersistentVolumeClaim, ref, (fresh) => withFinalizer(fresh, finalizer.cloneSource), options);
}

/** Keeps a snapshot from going away while it is restored; not being allowed to is no reason to refuse the restore. */
export async function protectSnapshot(client: Client, read: V1VolumeSnapshot, options: CallOptions, log: Logger): Promise<void> {
  try {
    await updateFrom(client, VolumeSnapshot, read, (fresh) => withFinalizer(fresh, finalizer.snapshotSource), options);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    log.info("May not protect the snapshot while it is restored: the role lacks update of volumesnapshots", {
      snapshot: read.metadata?.name,
    });
  }
}

/** Lets a snapshot go. A claim stays protected until it is deleted itself. */
export async function releaseSnapshot(client: Client, { ref }: Pick<ProtectedSource, "ref">, options: CallOptions): Promise<void> {
  try {
    await readAndUpdate(client, VolumeSnapshot, ref, (fresh) => withoutFinalizer(fresh, finalizer.snapshotSource), options);
  } catch (error) {
    if (!isNotFound(error) && !isForbidden(error)) throw error;
  }
}
