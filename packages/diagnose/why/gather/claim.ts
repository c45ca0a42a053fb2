import {
  hasStorageClassName,
  noProvisioner,
  type ObjectRef,
  PersistentVolume,
  PersistentVolumeClaim,
  protectionFinalizer,
  provisionerFinalizer,
  ResourceQuota,
  StorageClass,
  snapshotFinalizer,
  storageClassName,
  type V1PersistentVolumeClaim,
  type V1VolumeSnapshot,
  VolumeAttributesClass,
  VolumeSnapshot,
  wellKnownAnnotation,
} from "@csi-sidecars/kube";
import { filterFound, foundIn } from "../../access/read-cluster.ts";
import { eventsAbout } from "../events.ts";
import { expands } from "../steps/claim-expansion.ts";
import { modificationOf } from "../steps/claim-modification.ts";
import { podsThatUse } from "./claim-users.ts";
import { gatherConditions } from "./conditions.ts";
import { type GatherContext, gatherDriver, gatherNode } from "./context.ts";
import { gatherSource } from "./data-source.ts";
import type { ObservedClaim } from "./observed.ts";

export async function gatherClaim(context: GatherContext, ref: ObjectRef): Promise<ObservedClaim> {
  const { cluster, clock, responsibleFor, reportOn, infeasibleRetryMs } = context;
  const lookup = await cluster.get(PersistentVolumeClaim, ref);
  const claim = foundIn(lookup);
  const common = { ref, claim: lookup, responsibleFor, reportOn, infeasibleRetryMs, notes: cluster.notes };
  if (!claim) return { ...common, now: clock.now(), events: [] };
  const [events, more, deletion] = await Promise.all([
    eventsAbout(cluster, claim.metadata?.uid, ref.namespace),
    claim.status?.phase === "Bound" ? observeBound(context, claim) : observePending(context, claim),
    observeDeletion(context, claim),
  ]);
  const conditions = claim.status?.phase === "Bound" ? await gatherConditions(context, ref, events.events) : undefined;
  return { ...common, ...deletion, ...more, ...events, ...(conditions && { conditions }), now: clock.now() };
}

async function observePending(context: GatherContext, claim: V1PersistentVolumeClaim): Promise<Partial<ObservedClaim>> {
  const { cluster } = context;
  const { annotations = {} } = claim.metadata ?? {};
  const className = storageClassName(claim);
  const { volumeName } = claim.spec ?? {};
  if (volumeName) return { volume: await cluster.get(PersistentVolume, { name: volumeName }) };
  if (!hasStorageClassName(claim)) return { defaultClasses: await defaultClasses(context) };
  const selected = annotations[wellKnownAnnotation.selectedNode];
  const storageClass = className === "" ? undefined : await cluster.get(StorageClass, { name: className });
  const provisioner = foundIn(storageClass)?.provisioner;
  const isStatic = className === "" || provisioner === noProvisioner;
  const driverName = annotations[wellKnownAnnotation.provisioner] ?? annotations[wellKnownAnnotation.betaProvisioner] ?? provisioner;
  const [volumes, pods, selectedNode, source, driver] = await Promise.all([
    isStatic ? cluster.list(PersistentVolume) : undefined,
    foundIn(storageClass)?.volumeBindingMode === "WaitForFirstConsumer" ? podsThatUse(context, claim) : undefined,
    selected ? gatherNode(context, selected) : undefined,
    gatherSource(context, claim),
    isStatic || driverName === undefined ? undefined : gatherDriver(context, driverName, "create"),
  ]);
  return {
    ...(storageClass && { storageClass }),
    ...(volumes && { volumes }),
    ...(pods && { pods }),
    ...(selectedNode && { selectedNode }),
    ...(source && { source }),
    ...(driver && { driver }),
  };
}

/** A bound claim may have to be expanded or modified, by the driver of its volume; or somebody may ask why it cannot grow. */
async function observeBound(context: GatherContext, claim: V1PersistentVolumeClaim): Promise<Partial<ObservedClaim>> {
  const { cluster } = context;
  const { metadata, spec } = claim;
  const { volumeName = "" } = spec ?? {};
  const isExpanded = expands(claim);
  const modification = modificationOf(claim);
  const className = isExpanded ? "" : storageClassName(claim);
  const [volume, pods, attributesClass, storageClass, quotas] = await Promise.all([
    cluster.get(PersistentVolume, { name: volumeName }),
    claim.status?.conditions?.length || claim.status?.allocatedResourceStatuses ? podsThatUse(context, claim) : undefined,
    modification && cluster.get(VolumeAttributesClass, { name: modification.target }),
    className === "" ? undefined : cluster.get(StorageClass, { name: className }),
    isExpanded ? undefined : cluster.list(ResourceQuota, { ...(metadata?.namespace && { namespace: metadata.namespace }) }),
  ]);
  // In-tree volumes are handed over to the driver that replaced their plugin.
  const driverName = foundIn(volume)?.spec?.csi?.driver ?? metadata?.annotations?.[wellKnownAnnotation.storageResizer];
  const driver =
    driverName !== undefined && (isExpanded || modification)
      ? await gatherDriver(context, driverName, isExpanded ? "expand" : "modify")
      : undefined;
  return {
    volume,
    ...(pods && { pods }),
    ...(attributesClass && { attributesClass }),
    ...(storageClass && { storageClass }),
    ...(quotas && { quotas }),
    ...(driver && { driver }),
  };
}

async function observeDeletion(context: GatherContext, claim: V1PersistentVolumeClaim): Promise<Partial<ObservedClaim>> {
  const { deletionTimestamp, finalizers = [], namespace, name } = claim.metadata ?? {};
  if (!deletionTimestamp) return {};
  const [pods, others, snapshots] = await Promise.all([
    finalizers.includes(protectionFinalizer.claim) ? podsThatUse(context, claim) : undefined,
    finalizers.includes(provisionerFinalizer.cloneSource)
      ? context.cluster.list(PersistentVolumeClaim, { ...(namespace && { namespace }) })
      : undefined,
    finalizers.includes(snapshotFinalizer.claim) ? context.cluster.list(VolumeSnapshot, { ...(namespace && { namespace }) }) : undefined,
  ]);
  const isBeingTaken = ({ spec, status }: V1VolumeSnapshot) => !status?.readyToUse && spec?.source?.persistentVolumeClaimName === name;
  const isClone = ({ spec, status }: V1PersistentVolumeClaim) =>
    status?.phase !== "Bound" && spec?.dataSource?.kind === "PersistentVolumeClaim" && spec.dataSource.name === name;
  return {
    ...(pods && { pods }),
    ...(others && { clones: filterFound(others, isClone) }),
    ...(snapshots && { snapshots: filterFound(snapshots, isBeingTaken) }),
  };
}

async function defaultClasses({ cluster }: GatherContext): Promise<NonNullable<ObservedClaim["defaultClasses"]>> {
  return filterFound(await cluster.list(StorageClass), ({ metadata }) => {
    const { [wellKnownAnnotation.defaultClass]: stable, [wellKnownAnnotation.betaDefaultClass]: beta } = metadata?.annotations ?? {};
    return stable === "true" || beta === "true";
  });
}
