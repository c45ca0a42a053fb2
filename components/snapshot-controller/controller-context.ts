import type { Clock, Logger } from "@csi-sidecars/base";
import { AssumeCache, Controller, retryRateLimiter } from "@csi-sidecars/controller";
import { type Client, type EventRecorder, projectorFor, type View } from "@csi-sidecars/kube";
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
}

/** What the loops share. */
export interface SnapshotControllerContext {
  readonly kube: Client;
  readonly caches: Caches;
  /** Never behind our own writes; keys are `namespace/name` and names. */
  readonly snapshots: AssumeCache<Snapshot>;
  readonly contents: AssumeCache<Content>;
  /** Keys are `namespace/name` of VolumeSnapshots. */
  readonly snapshotLoop: Controller;
  /** Keys are names of VolumeSnapshotContents. */
  readonly contentLoop: Controller;
  /** Set once the cluster serves the kinds and their caches are complete; until then there are no groups. */
  groups: GroupCaches | undefined;
  /** `--prevent-volume-mode-conversion` */
  readonly notesVolumeMode: boolean;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly log: Logger;
}

export function snapshotControllerContext(context: SnapshotControllerComponentContext): SnapshotControllerContext {
  const { flags, informers, kube, clock, log } = context;
  const caches: Caches = {
    snapshots: informers.forFields(snapshotFields),
    contents: informers.forFields(contentFields),
    classes: informers.forFields(classFields),
    claims: informers.forFields(claimFields),
    volumes: informers.forFields(volumeFields),
    nodes: flags.enableDistributedSnapshotting ? informers.forFields(nodeFields) : undefined,
  };
  const loop = (name: string) => new Controller(context, { name, rateLimiter: retryRateLimiter(flags), workers: flags.workerThreads });
  return {
    caches,
    snapshots: new AssumeCache(caches.snapshots, projectorFor(snapshotFields)),
    contents: new AssumeCache(caches.contents, projectorFor(contentFields)),
    snapshotLoop: loop("snapshot-controller-snapshot"),
    contentLoop: loop("snapshot-controller-content"),
    groups: undefined,
    notesVolumeMode: flags.preventVolumeModeConversion,
    recorder: context.events("snapshot-controller"),
    ...{ kube, clock, log },
  };
}
