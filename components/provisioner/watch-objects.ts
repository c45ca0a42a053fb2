import { hasFinalizer, isClaimOurs, storageClassName } from "@csi-sidecars/controller";
import type { Priority, RateLimitingQueue, View } from "@csi-sidecars/kube";
import { keyOf } from "@csi-sidecars/kube";
import { planVolume } from "./delete/plan-volume.ts";
import type { DriverFacts } from "./driver-facts.ts";
import type { Attachment, Claim, Class, Volume } from "./fields.ts";
import { forgetClaim, type Memory } from "./memory.ts";
import { finalizer } from "./names.ts";
import { isMarkedInProgress } from "./provision/in-progress-mark.ts";
import { awaitsClones, pendingCloneOf } from "./source/clone-protection.ts";
import { referredSource } from "./source/data-source.ts";

export interface Views {
  readonly claims: View<Claim>;
  readonly volumes: View<Volume>;
  readonly classes: View<Class>;
  /** Only for drivers that attach. */
  readonly attachments: View<Attachment> | undefined;
}

export interface Queues {
  /** By the claim's uid. */
  readonly claims: RateLimitingQueue;
  readonly volumes: RateLimitingQueue;
  /** By the key of the claim that is cloned. */
  readonly cloneSources: RateLimitingQueue;
}

/** Indexes over what is unfinished only: they stay small however many claims are bound. */
export const index = { uid: "uid", class: "class", cloneSource: "clone-source", snapshot: "snapshot", volume: "volume" } as const;

/** Takes care of a claim that is gone, and that an earlier process may have asked for; answers whether there is something to be done. */
type RecallClaim = (claim: Claim) => boolean;

/** As upstream: what waits for something that no watch tells is looked at again. */
const resyncMs = 15 * 60_000;

/** Turns what the watches tell into work. What rests costs nothing: neither a start nor a resync puts it into a queue. */
export function watchObjects(views: Views, queues: Queues, driver: DriverFacts, memory: Memory, recall?: RecallClaim): void {
  watchClaims(views, queues, driver, memory, recall);
  watchVolumes(views, queues, driver, memory);
}

function watchClaims({ claims, classes }: Views, queues: Queues, driver: DriverFacts, memory: Memory, recall?: RecallClaim): void {
  const isUnfinished = (claim: Claim) => (!claim.spec?.volumeName || isMarkedInProgress(claim)) && isClaimOurs(claim, driver);
  claims.addIndex(index.uid, (claim) => (isUnfinished(claim) ? [claim.metadata.uid] : []));
  claims.addIndex(index.class, (claim) => (isUnfinished(claim) ? [storageClassName(claim)] : []));
  claims.addIndex(index.cloneSource, (claim) => optional(pendingCloneOf(claim)));
  claims.addIndex(index.snapshot, (claim) => (isPending(claim) ? optional(referredSource(claim, "VolumeSnapshot")) : []));

  const look = (claim: Claim, priority: Priority = "normal") => {
    if (isUnfinished(claim)) queues.claims.add(claim.metadata.uid, priority);
    if (driver.clonesVolumes && awaitsClones(claim)) queues.cloneSources.add(keyOf(claim), priority);
  };
  const cloneEnded = (claim: Claim) => {
    const source = driver.clonesVolumes ? pendingCloneOf(claim) : undefined;
    if (source !== undefined) queues.cloneSources.add(source);
  };
  claims.addHandler(
    {
      onAdd(claim, { initial }) {
        if (recall && initial && isUnfinished(claim)) memory.inherited.add(claim.metadata.uid);
        look(claim, initial ? "low" : "normal");
      },
      onUpdate(old, claim) {
        if (old === claim) return look(claim, "low");
        if (claim.spec?.volumeName) forgetClaim(memory, claim.metadata.uid);
        if (stateOf(old) !== stateOf(claim)) look(claim);
        if (pendingCloneOf(claim) === undefined) cloneEnded(old);
      },
      onDelete(claim) {
        const { uid } = claim.metadata;
        const isRecalled = memory.inherited.has(uid) && recall?.(claim);
        forgetClaim(memory, uid);
        if (isRecalled) queues.claims.add(uid);
        else if (!memory.inProgress.has(uid)) queues.claims.forget(uid);
        cloneEnded(claim);
      },
    },
    { resyncMs, name: "provisioner" },
  );
  classes.addHandler(
    {
      onAdd({ metadata }, { initial }) {
        if (initial) return;
        for (const claim of claims.byIndex(index.class, metadata.name)) queues.claims.add(claim.metadata.uid);
      },
    },
    { name: "provisioner" },
  );
}

function watchVolumes({ claims, volumes, attachments }: Views, queues: Queues, driver: DriverFacts, memory: Memory): void {
  const look = (volume: Volume, priority: Priority = "normal") => {
    if (memory.deleted.get(volume.metadata.uid) === "released") return;
    if (planVolume(volume, driver).step !== "none") queues.volumes.add(volume.metadata.name, priority);
  };
  volumes.addHandler(
    {
      onAdd: (volume, { initial }) => look(volume, initial ? "low" : "normal"),
      onUpdate(old, volume) {
        if (old === volume) look(volume, "low");
        else if (volumeStateOf(old) !== volumeStateOf(volume)) look(volume);
      },
      onDelete({ metadata: { name, uid }, spec, status }) {
        memory.deleted.delete(uid);
        queues.volumes.forget(name);
        const claimUid = spec?.claimRef?.uid ?? "";
        // A released volume's claim is gone, although the watch of claims may still have to show it: it needs no second volume.
        if (status?.phase === "Released") return;
        if (memory.provisioned.get(claimUid) === name) memory.provisioned.delete(claimUid);
        for (const claim of claims.byIndex(index.uid, claimUid)) queues.claims.add(claim.metadata.uid);
      },
    },
    { resyncMs, name: "provisioner" },
  );
  attachments?.addIndex(index.volume, ({ spec }) => optional(spec.source.persistentVolumeName));
  attachments?.addHandler(
    {
      onDelete({ spec }) {
        const volume = volumes.get(spec.source.persistentVolumeName ?? "");
        if (volume) look(volume);
      },
    },
    { name: "provisioner" },
  );
}

function isPending({ status }: Claim): boolean {
  return (status?.phase ?? "Pending") === "Pending";
}

/** All that can make another attempt worthwhile before its time; our own finalizers are no part of it. */
function stateOf({ metadata: { annotations, deletionTimestamp }, spec, status }: Claim): string {
  return JSON.stringify([annotations, deletionTimestamp, spec, status?.phase]);
}

function volumeStateOf(volume: Volume): string {
  const { metadata, spec, status } = volume;
  return JSON.stringify([
    status?.phase,
    spec?.persistentVolumeReclaimPolicy,
    hasFinalizer(volume, finalizer.volume),
    metadata.deletionTimestamp,
  ]);
}

function optional<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}
