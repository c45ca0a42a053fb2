import type { Clock, Logger } from "@csi-sidecars/base";
import { AssumeCache, Controller, type ObjectEvents, objectEvents, type PatchTarget, retryRateLimiter } from "@csi-sidecars/controller";
import {
  type Client,
  type EventRecorder,
  projectorFor,
  snapshotFinalizer,
  type V1VolumeSnapshot,
  type V1VolumeSnapshotContent,
  type View,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from "@csi-sidecars/kube";
import { ProtectedClaims } from "./claim/protected-claims.ts";
import { DeletedSnapshots } from "./deleted-snapshots.ts";
import {
  type Claim,
  type Content,
  claimFields,
  classFields,
  contentFields,
  type GroupContent,
  type GroupSnapshot,
  type GroupSnapshotClass,
  type Node,
  nodeFields,
  type Snapshot,
  type SnapshotClass,
  snapshotFields,
  type Volume,
  volumeFields,
} from "./fields.ts";
import type { SnapshotControllerComponentContext } from "./flags.ts";
import { indexMembers } from "./group-members.ts";
import { LateContents } from "./late-contents.ts";
import { OperationMetrics } from "./operation-metrics.ts";
import { indexRestoringClaims } from "./restoring-claims.ts";
import { FirstLooks } from "./snapshot/first-looks.ts";
import { indexSnapshots } from "./snapshot/snapshot-indexes.ts";

/** What the watches show of single snapshots and their sources. */
export interface Caches {
  readonly snapshots: View<Snapshot>;
  readonly contents: View<Content>;
  readonly classes: View<SnapshotClass>;
  readonly claims: View<Claim>;
  readonly volumes: View<Volume>;
  /** Only with `--enable-distributed-snapshotting`. */
  readonly nodes: View<Node> | undefined;
}

/** What they show of group snapshots. */
export interface GroupCaches {
  readonly groupSnapshots: View<GroupSnapshot>;
  readonly groupContents: View<GroupContent>;
  readonly groupClasses: View<GroupSnapshotClass>;
  /** The contents of the group snapshot that the content of a snapshot says it was taken with. Handles are the driver's: another one may have the same. */
  contentsOfGroup(content: Content): readonly GroupContent[];
  /** The contents that say so of the group snapshot of this one. */
  contentsOfMembers(content: GroupContent): readonly Content[];
}

/** What the loops share. */
export interface SnapshotControllerContext {
  readonly kube: Client;
  readonly caches: Caches;
  /** Never behind our own writes; keys are `namespace/name` and names. */
  readonly snapshots: AssumeCache<Snapshot>;
  readonly contents: AssumeCache<Content>;
  readonly claims: AssumeCache<Claim>;
  /** For `patchNewest`. */
  readonly snapshotTarget: PatchTarget<V1VolumeSnapshot, Snapshot>;
  readonly contentTarget: PatchTarget<V1VolumeSnapshotContent, Content>;
  /** Keys are `namespace/name` of VolumeSnapshots. */
  readonly snapshotLoop: Controller;
  /** Keys are names of VolumeSnapshotContents. */
  readonly contentLoop: Controller;
  /** Keys are `namespace/name` of claims that are protected. */
  readonly claimLoop: Controller;
  readonly protectedClaims: ProtectedClaims;
  readonly firstLooks: FirstLooks;
  readonly lateContents: LateContents;
  readonly deletedSnapshots: DeletedSnapshots<V1VolumeSnapshot>;
  /** Set once the cluster serves the kinds and their caches are complete. */
  groups: GroupCaches | undefined;
  /** Why they are not set: where the kinds are not installed there are no groups, otherwise there may be some. */
  groupsUnknown: "not yet read" | "disabled" | "not installed";
  /** `--prevent-volume-mode-conversion` */
  readonly notesVolumeMode: boolean;
  readonly recorder: EventRecorder;
  readonly snapshotEvents: ObjectEvents;
  readonly contentEvents: ObjectEvents;
  readonly metrics: OperationMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

export function snapshotControllerContext(context: SnapshotControllerComponentContext): SnapshotControllerContext {
  const { flags, kube, clock, log } = context;
  const caches = openCaches(context);
  const snapshots = new AssumeCache(caches.snapshots, projectorFor(snapshotFields));
  const contents = new AssumeCache(caches.contents, projectorFor(contentFields));
  const claims = new AssumeCache(caches.claims, projectorFor(claimFields));
  const loop = (name: string) => new Controller(context, { name, rateLimiter: retryRateLimiter(flags), workers: flags.workerThreads });
  const recorder = context.events("snapshot-controller");
  return {
    ...{ caches, snapshots, contents, claims },
    snapshotTarget: { kube, resource: VolumeSnapshot, cache: snapshots, project: projectorFor(snapshotFields) },
    contentTarget: { kube, resource: VolumeSnapshotContent, cache: contents, project: projectorFor(contentFields) },
    snapshotLoop: loop("snapshot-controller-snapshot"),
    contentLoop: loop("snapshot-controller-content"),
    claimLoop: loop("snapshot-controller-claim"),
    protectedClaims: new ProtectedClaims({ kube, claims }),
    firstLooks: new FirstLooks(clock),
    lateContents: new LateContents(clock),
    deletedSnapshots: new DeletedSnapshots(context, VolumeSnapshot, snapshotFinalizer.asSource),
    groups: undefined,
    groupsUnknown: context.gates.enabled("CSIVolumeGroupSnapshot") ? "not yet read" : "disabled",
    notesVolumeMode: flags.preventVolumeModeConversion,
    recorder,
    snapshotEvents: objectEvents(recorder, VolumeSnapshot),
    contentEvents: objectEvents(recorder, VolumeSnapshotContent),
    metrics: new OperationMetrics(context.metrics, clock),
    ...{ kube, clock, log },
  };
}

function openCaches({ flags, informers }: SnapshotControllerComponentContext): Caches {
  const caches: Caches = {
    snapshots: informers.forFields(snapshotFields),
    contents: informers.forFields(contentFields),
    classes: informers.forFields(classFields),
    claims: informers.forFields(claimFields),
    volumes: informers.forFields(volumeFields),
    nodes: flags.enableDistributedSnapshotting ? informers.forFields(nodeFields) : undefined,
  };
  indexSnapshots(caches.snapshots);
  indexMembers(caches.snapshots);
  indexRestoringClaims(caches.claims);
  return caches;
}
