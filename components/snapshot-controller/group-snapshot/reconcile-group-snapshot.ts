import { done, type Reconcile, type ReconcileResult, requeueAfter } from "@csi-sidecars/controller";
import { keyOf } from "@csi-sidecars/kube";
import type { GroupContent, GroupSnapshot, Volume } from "../fields.ts";
import { saveMembers } from "../members/save-members.ts";
import { nodeForVolumes } from "../node-for-volume.ts";
import { bindGroupContent } from "./bind-group-content.ts";
import { createGroupContent } from "./create-group-content.ts";
import { deleteGroupSnapshot } from "./delete-group-snapshot.ts";
import { groupContentNameOf, isGroupReadyAndBound, isPreProvisionedGroup } from "./group-binding.ts";
import type { GroupContext } from "./group-context.ts";
import { startGroupMetrics } from "./group-metrics.ts";
import { contentProblem, foreignClass, type GroupProblem, missingContent, readyProblem, sourceProblem } from "./group-problem.ts";
import { classMissing, planGroupContent } from "./plan-group-content.ts";
import { protectGroup } from "./protect-group.ts";
import { reportGroupProblem } from "./report-group-problem.ts";
import { saveGroupStatus } from "./save-group-status.ts";

/** Brings a group snapshot closer to its content: the one that the user has named, or the one that the driver is to fill. */
export const reconcileGroupSnapshot =
  (c: GroupContext): Reconcile =>
  async (key, signal) => {
    const group = c.groupSnapshots.get(key);
    if (!group) return done;
    if (group.metadata.deletionTimestamp !== undefined) return deleteGroupSnapshot(c, group, signal);
    const invalid = sourceProblem(group);
    if (invalid) return wait(c, group, invalid, signal);
    const content = c.groupContents.get(groupContentNameOf(group));
    if (isGroupReadyAndBound(group)) {
      const problem = readyProblem(group, content);
      return problem ? wait(c, group, problem, signal) : done;
    }
    startGroupMetrics(c, group, content);
    const problem = content && contentProblem(group, content);
    if (problem) return wait(c, group, problem, signal);
    return isPreProvisionedGroup(group) ? bind(c, group, content, signal) : take(c, group, content, signal);
  };

/** A group that the user has named a content for. Its members are the user's as well. */
async function bind(
  c: GroupContext,
  group: GroupSnapshot,
  content: GroupContent | undefined,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const className = group.spec?.volumeGroupSnapshotClassName;
  const isBound = group.status?.boundVolumeGroupSnapshotContentName !== undefined;
  if (!isBound && className !== undefined && !c.groupCaches.groupClasses.get(className)) {
    return wait(c, group, classMissing(className), signal);
  }
  if (!content) return wait(c, group, missingContent(group), signal);
  const foreign = foreignClass(group, content, c.groupCaches.groupClasses);
  if (foreign) return wait(c, group, foreign, signal);
  // A content that is bound to a group snapshot which is gone would never be let go.
  if (!(await protectGroup(c, group, undefined, signal))) return next(c, group);
  const bound = await bindGroupContent(c, group, content, signal);
  c.firstLooks.forget(group.metadata.uid);
  await saveGroupStatus(c, group, bound, signal);
  return next(c, group);
}

/** A group that the driver is to take, or is taking. */
async function take(
  c: GroupContext,
  group: GroupSnapshot,
  content: GroupContent | undefined,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  if (content) {
    c.firstLooks.forget(group.metadata.uid);
    if (!(await protectGroup(c, group, undefined, signal))) return next(c, group);
    await saveMembers(c, group, content, signal);
    await saveGroupStatus(c, group, content, signal);
    return next(c, group);
  }
  // Another one would be of another time.
  if (group.status?.creationTime !== undefined) return wait(c, group, missingContent(group), signal);
  const { claims, volumes, nodes } = c.caches;
  const nodeFor = (of: readonly Volume[]) => (nodes ? nodeForVolumes(of, nodes.list()) : "any");
  const look = { claims, volumes, classes: c.groupCaches.groupClasses, nodeFor };
  const plan = planGroupContent(group, look);
  if (plan.step === "problem") return wait(c, group, plan.problem, signal);
  c.firstLooks.forget(group.metadata.uid);
  // The finalizer comes first: a group snapshot that is deleted now finds the content that is about to exist.
  if (!(await protectGroup(c, group, plan.defaultClass, signal))) return next(c, group);
  await saveGroupStatus(c, group, await createGroupContent(c, group, plan, signal), signal);
  return next(c, group);
}

/** Its deletion, if the cache shows that by now: nothing else would tell if the watch showed it together with our own writes. */
function next({ groupSnapshots }: GroupContext, group: GroupSnapshot): ReconcileResult {
  return groupSnapshots.get(keyOf(group))?.metadata.deletionTimestamp === undefined ? done : requeueAfter(0);
}

/**
 * Tells users what is wrong, unless it is over before they could read it: watches of several kinds do not keep step. Whatever is missing, what ends
 * that is watched, and brings the group snapshot back.
 */
async function wait(c: GroupContext, group: GroupSnapshot, problem: GroupProblem, signal: AbortSignal): Promise<ReconcileResult> {
  const isKnown = group.status?.error?.message === problem.message;
  const remaining = isKnown ? 0 : c.firstLooks.remainingMs(group.metadata.uid);
  if (remaining > 0) return requeueAfter(remaining);
  await reportGroupProblem(c, group, problem, signal);
  c.log.v(4).info("The group snapshot waits", { groupSnapshot: keyOf(group), problem: problem.error ?? problem.message });
  return done;
}
