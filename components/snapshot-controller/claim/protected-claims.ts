import {
  type AssumeCache,
  apiCallOptions,
  hasFinalizer,
  KeyedMutex,
  updateFrom,
  withFinalizer,
  withoutFinalizer,
} from "@csi-sidecars/controller";
import {
  type Client,
  ignoreNotFound,
  type Key,
  keyOf,
  PersistentVolumeClaim,
  refOf,
  snapshotFinalizer,
  type V1PersistentVolumeClaim,
} from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";

/** Whole claims are large: beyond that many, the finalizer is removed from what is read again. */
const maxKept = 2_000;

interface ProtectionContext {
  readonly kube: Client;
  readonly claims: AssumeCache<Claim>;
}

/**
 * Claims with the finalizer that keeps them as long as snapshots of them are taken. The role allows to update claims, not to patch them: the
 * claim as it was when the finalizer was added is kept, so that removing it takes one request.
 */
export class ProtectedClaims {
  readonly #c: ProtectionContext;
  readonly #kept = new Map<Key, V1PersistentVolumeClaim>();
  readonly #locks = new KeyedMutex();
  /** The uids of snapshots whose content is being created: it may exist although the answer is lost. */
  readonly taking = new Set<string>();

  constructor(c: ProtectionContext) {
    this.#c = c;
  }

  /** Adds the finalizer, unless the claim has it. Returns whether it has it now: one that is gone or being deleted cannot get it. */
  protect(claim: Claim, signal: AbortSignal): Promise<boolean> {
    const key = keyOf(claim);
    return this.#locks.run(key, async () => {
      const newest = this.#c.claims.get(key);
      if (newest?.metadata.uid !== claim.metadata.uid) return false;
      if (hasFinalizer(newest, snapshotFinalizer.claim)) return true;
      const read = await ignoreNotFound(this.#c.kube.get(PersistentVolumeClaim, refOf(key), apiCallOptions(signal)));
      if (read?.metadata?.uid !== claim.metadata.uid) return false;
      const add = (fresh: V1PersistentVolumeClaim) =>
        fresh.metadata?.deletionTimestamp === undefined ? withFinalizer(fresh, snapshotFinalizer.claim) : undefined;
      const updated = await this.#update(key, read, add, signal);
      const isProtected = updated?.metadata?.finalizers?.includes(snapshotFinalizer.claim) ?? false;
      if (updated && isProtected && this.#kept.size < maxKept) this.#kept.set(key, updated);
      return isProtected;
    });
  }

  /** Removes the finalizer, unless the claim is needed once nobody else writes it. */
  release(key: Key, isNeeded: () => boolean, signal: AbortSignal): Promise<void> {
    return this.#locks.run(key, async () => {
      const claim = this.#c.claims.get(key);
      if (isNeeded()) return;
      const kept = this.#kept.get(key);
      this.#kept.delete(key);
      if (!claim || !hasFinalizer(claim, snapshotFinalizer.claim)) return;
      const isCurrent = kept?.metadata?.resourceVersion === claim.metadata.resourceVersion;
      const read = isCurrent ? kept : await ignoreNotFound(this.#c.kube.get(PersistentVolumeClaim, refOf(key), apiCallOptions(signal)));
      if (read?.metadata?.uid !== claim.metadata.uid) return;
      await this.#update(key, read, (fresh) => withoutFinalizer(fresh, snapshotFinalizer.claim), signal);
    });
  }

  /** The watch shows the claim as it is now: what is kept of an earlier version is of no use. */
  observe(claim: Claim): void {
    const kept = this.#kept.get(keyOf(claim));
    if (kept && kept.metadata?.resourceVersion !== claim.metadata.resourceVersion) this.#kept.delete(keyOf(claim));
  }

  forget(key: Key): void {
    this.#kept.delete(key);
  }

  /** Updates this very claim; `undefined` if it is gone. */
  async #update(
    key: Key,
    read: V1PersistentVolumeClaim,
    change: (fresh: V1PersistentVolumeClaim) => V1PersistentVolumeClaim | undefined,
    signal: AbortSignal,
  ): Promise<V1PersistentVolumeClaim | undefined> {
    const ofThisClaim = (fresh: V1PersistentVolumeClaim) => (fresh.metadata?.uid === read.metadata?.uid ? change(fresh) : undefined);
    let updated: V1PersistentVolumeClaim | undefined;
    await ignoreNotFound(
      this.#c.claims.write(key, async () => {
        updated = await updateFrom(this.#c.kube, PersistentVolumeClaim, read, ofThisClaim, apiCallOptions(signal));
        return updated;
      }),
    );
    return updated;
  }
}
