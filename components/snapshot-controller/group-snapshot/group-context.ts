import { AssumeCache, Controller, type ObjectEvents, objectEvents, type PatchTarget, retryRateLimiter } from "@csi-sidecars/controller";
import {
  groupSnapshotFinalizer,
  type Informers,
  projectorFor,
  type V1VolumeGroupSnapshot,
  type V1VolumeGroupSnapshotContent,
  type View,
  VolumeGroupSnapshot,
  VolumeGroupSnapshotContent,
} from "@csi-sidecars/kube";
import type { GroupCaches, SnapshotControllerContext } from "../controller-context.ts";
import { DeletedSnapshots } from "../deleted-snapshots.ts";
import {
  type Content,
  type GroupContent,
  type GroupSnapshot,
  groupClassFields,
  groupContentFields,
  groupSnapshotFields,
} from "../fields.ts";
import type { SnapshotControllerComponentContext } from "../flags.ts";
import { indexWaitingGroups } from "./waiting-groups.ts";

/** What the loops of group snapshots and their contents share. */
export interface GroupContext extends Omit<SnapshotControllerContext, "groups" | "groupsUnknown"> {
  readonly groupCaches: GroupCaches;
  /** Never behind our own writes; keys are `namespace/name` and names. */
  readonly groupSnapshots: AssumeCache<GroupSnapshot>;
  readonly groupContents: AssumeCache<GroupContent>;
  /** For `patchNewest`. */
  readonly groupTarget: PatchTarget<V1VolumeGroupSnapshot, GroupSnapshot>;
  readonly groupContentTarget: PatchTarget<V1VolumeGroupSnapshotContent, GroupContent>;
  /** Keys are `namespace/name` of VolumeGroupSnapshots. */
  readonly groupLoop: Controller;
  /** Keys are names of VolumeGroupSnapshotContents. */
  readonly groupContentLoop: Controller;
  readonly deletedGroups: DeletedSnapshots<V1VolumeGroupSnapshot>;
  /** The group snapshots whose content has been deleted before the eyes of the watch, by their uids: there is none to look for. */
  readonly releasedGroups: Set<string>;
  readonly groupEvents: ObjectEvents;
  readonly groupContentEvents: ObjectEvents;
}

export function groupContext(context: SnapshotControllerComponentContext, c: SnapshotControllerContext): GroupContext {
  const { flags, informers, kube } = context;
  const groupCaches = openGroupCaches(informers, c.caches.contents);
  const [projectGroup, projectContent] = [projectorFor(groupSnapshotFields), projectorFor(groupContentFields)];
  const groupSnapshots = new AssumeCache(groupCaches.groupSnapshots, projectGroup);
  const groupContents = new AssumeCache(groupCaches.groupContents, projectContent);
  const loop = (name: string) => new Controller(context, { name, rateLimiter: retryRateLimiter(flags), workers: flags.workerThreads });
  return {
    ...c,
    ...{ groupCaches, groupSnapshots, groupContents },
    groupTarget: { kube, resource: VolumeGroupSnapshot, cache: groupSnapshots, project: projectGroup },
    groupContentTarget: { kube, resource: VolumeGroupSnapshotContent, cache: groupContents, project: projectContent },
    groupLoop: loop("snapshot-controller-group-snapshot"),
    groupContentLoop: loop("snapshot-controller-group-content"),
    deletedGroups: new DeletedSnapshots(context, VolumeGroupSnapshot, groupSnapshotFinalizer.bound),
    releasedGroups: new Set(),
    groupEvents: objectEvents(c.recorder, VolumeGroupSnapshot),
    groupContentEvents: objectEvents(c.recorder, VolumeGroupSnapshotContent),
  };
}

const byHandle = "handle";

function openGroupCaches(informers: Pick<Informers, "forFields">, contents: View<Content>): GroupCaches {
  const groupContents = informers.forFields(groupContentFields);
  const handleOf = (content: Content | GroupContent) => (content.status?.volumeGroupSnapshotHandle ? [handleKey(content)] : []);
  groupContents.addIndex(byHandle, handleOf);
  contents.addIndex(byHandle, handleOf);
  const groupSnapshots = informers.forFields(groupSnapshotFields);
  indexWaitingGroups(groupSnapshots);
  return {
    ...{ groupSnapshots, groupContents },
    groupClasses: informers.forFields(groupClassFields),
    contentsOfGroup: (content) => groupContents.byIndex(byHandle, handleKey(content)),
    contentsOfMembers: (content) => contents.byIndex(byHandle, handleKey(content)),
  };
}

/** Of a content of either kind: which group snapshot of which driver it is about. */
function handleKey({ spec, status }: Pick<Content | GroupContent, "spec" | "status">): string {
  return `${spec?.driver}^${status?.volumeGroupSnapshotHandle}`;
}
