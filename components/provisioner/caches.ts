import { hasFinalizer, isClaimOurs } from "@csi-sidecars/controller";
import { storageClassName, type View } from "@csi-sidecars/kube";
import type { DriverInfo } from "./driver-capabilities.ts";
import {
  type Attachment,
  attachmentFields,
  type Claim,
  type Class,
  claimFields,
  classFields,
  type Grant,
  grantFields,
  migratedVolumeFields,
  placedVolumeFields,
  type Volume,
  volumeFields,
} from "./fields.ts";
import type { ProvisionerComponentContext } from "./flags.ts";
import { finalizer } from "./names.ts";
import type { LocalNode } from "./node/local-node.ts";
import { pendingSource } from "./source/data-source.ts";
import { clusterTopologies } from "./topology/cluster-topologies.ts";
import { csiNodeFields, nodeFields, singleNode, type WatchedTopologies } from "./topology/node-topologies.ts";

/** The component's caches; those that are `undefined` are not used. */
export interface Caches {
  readonly claims: View<Claim>;
  readonly volumes: View<Volume>;
  readonly classes: View<Class>;
  /** Only for drivers that attach. */
  readonly attachments: View<Attachment> | undefined;
  /** Only with the gate `CrossNamespaceVolumeDataSource`. */
  readonly grants: View<Grant> | undefined;
  /** Only where topology or capacity is used. An instance of a node deployment knows its own node only. */
  readonly topologies: WatchedTopologies | undefined;
}

/** What the caches know, by index. */
export interface CacheLookups {
  /** The claim of this uid, unless it is bound and has no in-progress finalizer. */
  unfinishedClaim(uid: string): Claim | undefined;
  /** The unfinished claims of a class. */
  claimsOfClass(name: string): readonly Claim[];
  /** The pending claims that are to be restored from a snapshot (`namespace/name`). */
  claimsRestoring(snapshot: string): readonly Claim[];
  /** The pending claims that are to be cloned from a claim (`namespace/name`). */
  claimsCloning(source: string): readonly Claim[];
  attachmentsOf(volume: string): readonly Attachment[];
  grantsIn(namespace: string): readonly Grant[];
}

/** Opens the caches. Of volumes no more is cached than this driver, deployed like this, asks for. */
export function openCaches(context: ProvisionerComponentContext, driver: DriverInfo, localNode: LocalNode | undefined): Caches {
  const { informers, flags, gates } = context;
  const volumes = (): View<Volume> => {
    if (driver.inTreeName !== undefined) return informers.forFields(migratedVolumeFields);
    return localNode || flags.enableCapacity ? informers.forFields(placedVolumeFields) : informers.forFields(volumeFields);
  };
  const topologies = (): WatchedTopologies | undefined => {
    if (!driver.topology && !flags.enableCapacity) return undefined;
    if (localNode) return singleNode(localNode.name, localNode.labels);
    return clusterTopologies(driver.name, informers.forFields(csiNodeFields), informers.forFields(nodeFields));
  };
  return {
    claims: informers.forFields(claimFields),
    volumes: volumes(),
    classes: informers.forFields(classFields),
    attachments: driver.publishesVolumes ? informers.forFields(attachmentFields) : undefined,
    grants: gates.enabled("CrossNamespaceVolumeDataSource") ? informers.forFields(grantFields) : undefined,
    topologies: topologies(),
  };
}

/** Whether there may be something to do for the claim: it is the driver's, and not bound or with our finalizer. */
export function isUnfinished(claim: Claim, driver: DriverInfo): boolean {
  return (!claim.spec?.volumeName || hasFinalizer(claim, finalizer.inProgress)) && isClaimOurs(claim, driver);
}

/** Adds indexes over what is unfinished only: they stay small however many claims are bound. */
export function indexCaches({ claims, attachments, grants }: Omit<Caches, "topologies">, driver: DriverInfo): CacheLookups {
  claims.addIndex("uid", (claim) => (isUnfinished(claim, driver) ? [claim.metadata.uid] : []));
  claims.addIndex("class", (claim) => (isUnfinished(claim, driver) ? [storageClassName(claim)] : []));
  claims.addIndex("clone-source", (claim) => optional(pendingSource(claim, "PersistentVolumeClaim")));
  claims.addIndex("snapshot", (claim) => optional(pendingSource(claim, "VolumeSnapshot")));
  attachments?.addIndex("volume", ({ spec }) => optional(spec.source.persistentVolumeName));
  return {
    unfinishedClaim: (uid) => claims.byIndex("uid", uid)[0],
    claimsOfClass: (name) => claims.byIndex("class", name),
    claimsRestoring: (snapshot) => claims.byIndex("snapshot", snapshot),
    claimsCloning: (source) => claims.byIndex("clone-source", source),
    attachmentsOf: (volume) => attachments?.byIndex("volume", volume) ?? [],
    grantsIn: (namespace) => grants?.list(namespace) ?? [],
  };
}

function optional<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}
