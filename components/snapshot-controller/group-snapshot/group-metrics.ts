import type { GroupContent, GroupSnapshot } from "../fields.ts";
import type { OperationLabels } from "../operation-metrics.ts";
import { isPreProvisionedGroup } from "./group-binding.ts";
import type { GroupContext } from "./group-context.ts";

/** Begins to measure how long a group snapshot takes, unless that has begun. */
export function startGroupMetrics(c: GroupContext, group: GroupSnapshot, content: GroupContent | undefined): void {
  const labels = labelsOf(c, group, content);
  const { uid } = group.metadata;
  if (group.status?.creationTime === undefined) c.metrics.start("CreateGroupSnapshot", uid, labels);
  c.metrics.start("CreateGroupSnapshotAndReady", uid, labels);
}

/** The same of its deletion. */
export function startGroupDeletionMetrics(c: GroupContext, group: GroupSnapshot, content: GroupContent | undefined): void {
  c.metrics.start("DeleteGroupSnapshot", group.metadata.uid, labelsOf(c, group, content));
}

function labelsOf(c: GroupContext, group: GroupSnapshot, content: GroupContent | undefined): OperationLabels {
  const className = group.spec?.volumeGroupSnapshotClassName;
  const ofClass = className === undefined ? undefined : c.groupCaches.groupClasses.get(className)?.driver;
  return { driver: content?.spec?.driver ?? ofClass, type: isPreProvisionedGroup(group) ? "pre-provisioned" : "dynamic" };
}
