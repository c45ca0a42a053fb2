import { hasFinalizer } from "@csi-sidecars/controller";
import { type Handler, type Key, keyOf, snapshotAnnotation, snapshotFinalizer } from "@csi-sidecars/kube";
import { planContent } from "./content/reconcile-content.ts";
import type { SnapshotControllerContext } from "./controller-context.ts";
import { deletionOf } from "./deleted-snapshots.ts";
import type { Claim, Content, Snapshot, SnapshotClass, Volume } from "./fields.ts";
import { snapshotsRestoredBy } from "./restoring-claims.ts";
import { claimKeyOf, contentNameOf, isPreProvisioned, isReadyAndBound } from "./snapshot/binding.ts";
import { lateKey } from "./snapshot/reconcile-snapshot.ts";
import { unreadyOfClaim, unreadyOfClass, unreadyOfContent } from "./snapshot/snapshot-indexes.ts";
import { newContentKey } from "./snapshot/take-snapshot.ts";

/** Turns watch events into queue keys: of what changed, and of the snapshots that may have waited for it. Our own writes are no reason to work. */
export function addEventHandlers(c: SnapshotControllerContext, resyncMs: number): void {
  const name = "snapshot-controller";
  c.caches.snapshots.addHandler(snapshotHandler(c), { resyncMs, name });
  c.caches.contents.addHandler(contentHandler(c), { name });
  c.caches.classes.addHandler(classHandler(c), { name });
  c.caches.claims.addHandler(claimHandler(c), { name });
  c.caches.volumes.addHandler(volumeHandler(c), { name });
}

function snapshotHandler(c: SnapshotControllerContext): Handler<Snapshot> {
  const enqueue = (snapshot: Snapshot) => c.snapshotLoop.enqueue(keyOf(snapshot));
  /** Nobody has let the content go, which exists or may be created yet. */
  const leavesContent = (snapshot: Snapshot, content: string) =>
    hasFinalizer(snapshot, snapshotFinalizer.asSource) &&
    !isPreProvisioned(snapshot) &&
    (deletionOf(snapshot.metadata, snapshotFinalizer.asSource) !== "regular" || !c.contents.get(content));
  return {
    onAdd(snapshot, { initial }) {
      if (initial) c.snapshotLoop.enqueue(keyOf(snapshot), "low");
      else c.snapshots.observe(undefined, snapshot, () => enqueue(snapshot));
    },
    onUpdate(old, snapshot) {
      const isResync = old === snapshot;
      if (!isResync) c.snapshots.observe(old, snapshot, () => enqueue(snapshot));
      else if (!isReadyAndBound(snapshot) || snapshot.metadata.deletionTimestamp) c.snapshotLoop.enqueue(keyOf(snapshot), "low");
    },
    onDelete(deleted) {
      const snapshot = c.snapshots.deleted(deleted);
      const { uid } = snapshot.metadata;
      const content = contentNameOf(snapshot) ?? "";
      if (leavesContent(snapshot, content)) {
        c.lateContents.expect(uid);
        c.contentLoop.enqueue(content);
      }
      c.deletedSnapshots.add(snapshot.metadata);
      c.metrics.gone("Snapshot", uid);
      c.protectedClaims.taking.delete(uid);
      c.firstLooks.forget(lateKey(snapshot));
      c.firstLooks.forget(newContentKey(snapshot));
      c.snapshotLoop.queue.forget(keyOf(snapshot));
      const claim = claimKeyOf(snapshot);
      if (claim !== undefined) c.claimLoop.enqueue(claim);
    },
  };
}

function contentHandler(c: SnapshotControllerContext): Handler<Content> {
  const consider = (content: Content) => {
    if (planContent(content, c) !== "none") c.contentLoop.enqueue(keyOf(content));
    enqueueSnapshotOf(content);
    for (const waiting of unreadyOfContent(c.caches.snapshots, keyOf(content))) c.snapshotLoop.enqueue(keyOf(waiting));
  };
  const enqueueSnapshotOf = ({ spec }: Content) => {
    const { namespace, name } = spec?.volumeSnapshotRef ?? {};
    const key = `${namespace}/${name}`;
    if (c.snapshots.get(key)) c.snapshotLoop.enqueue(key);
  };
  return {
    onAdd(content, { initial }) {
      if (planContent(content, c) === "deleteLate") c.contentLoop.enqueue(keyOf(content));
      if (!initial) c.contents.observe(undefined, content, () => consider(content));
      else if (planContent(content, c) !== "none") c.contentLoop.enqueue(keyOf(content), "low");
    },
    onUpdate(old, content) {
      c.contents.observe(old, content, () => {
        consider(content);
        enqueueSnapshotOf(old);
      });
    },
    onDelete(content) {
      consider(c.contents.deleted(content));
      c.lateContents.forgetSpared(content.spec?.volumeSnapshotRef?.uid ?? "");
    },
  };
}

/** Snapshots wait for the class that they name, or for a default one. */
function classHandler(c: SnapshotControllerContext): Handler<SnapshotClass> {
  const consider = ({ metadata }: SnapshotClass, mayBeDefault: boolean) => {
    const { snapshots } = c.caches;
    const waiting = [...unreadyOfClass(snapshots, metadata.name), ...(mayBeDefault ? unreadyOfClass(snapshots, "") : [])];
    for (const snapshot of waiting) c.snapshotLoop.enqueue(keyOf(snapshot));
  };
  const isDefault = ({ metadata }: SnapshotClass) => metadata.annotations?.[snapshotAnnotation.defaultClass] === "true";
  return {
    onAdd(added, { initial }) {
      if (!initial) consider(added, isDefault(added));
    },
    onUpdate: (old, changed) => consider(changed, isDefault(old) || isDefault(changed)),
    // One default too many is as bad as none.
    onDelete: (deleted) => consider(deleted, isDefault(deleted)),
  };
}

function claimHandler(c: SnapshotControllerContext): Handler<Claim> {
  const enqueueSnapshots = (claim: Key) => {
    for (const snapshot of unreadyOfClaim(c.caches.snapshots, claim)) c.snapshotLoop.enqueue(keyOf(snapshot));
  };
  /** A snapshot that is deleted stays until no claim is restored from it. */
  const restored = (before: Claim, after: readonly Key[]) => {
    for (const key of snapshotsRestoredBy(before)) {
      if (!after.includes(key) && c.snapshots.get(key)?.metadata.deletionTimestamp) c.snapshotLoop.enqueue(key);
    }
  };
  return {
    onAdd(claim, { initial }) {
      if (initial && hasFinalizer(claim, snapshotFinalizer.claim)) c.claimLoop.enqueue(keyOf(claim), "low");
      if (!initial) c.claims.observe(undefined, claim, () => enqueueSnapshots(keyOf(claim)));
    },
    onUpdate(old, claim) {
      c.protectedClaims.observe(claim);
      c.claims.observe(old, claim, () => {
        if (isBoundAnew(old, claim)) enqueueSnapshots(keyOf(claim));
        if (hasFinalizer(claim, snapshotFinalizer.claim) && !old.metadata.deletionTimestamp && claim.metadata.deletionTimestamp) {
          c.claimLoop.enqueue(keyOf(claim));
        }
      });
      restored(old, snapshotsRestoredBy(claim));
    },
    onDelete(claim) {
      c.claims.deleted(claim);
      c.protectedClaims.forget(keyOf(claim));
      enqueueSnapshots(keyOf(claim));
      restored(claim, []);
    },
  };
}

function isBoundAnew(old: Claim, claim: Claim): boolean {
  return old.status?.phase !== claim.status?.phase || old.spec?.volumeName !== claim.spec?.volumeName;
}

/** A claim may be seen bound before its volume is. */
function volumeHandler(c: SnapshotControllerContext): Handler<Volume> {
  const consider = ({ spec }: Volume) => {
    const { namespace, name } = spec?.claimRef ?? {};
    for (const snapshot of unreadyOfClaim(c.caches.snapshots, `${namespace}/${name}`)) c.snapshotLoop.enqueue(keyOf(snapshot));
  };
  return {
    onAdd(volume, { initial }) {
      if (!initial) consider(volume);
    },
    onUpdate(old, volume) {
      if (old.spec?.claimRef?.uid !== volume.spec?.claimRef?.uid) consider(volume);
    },
  };
}
