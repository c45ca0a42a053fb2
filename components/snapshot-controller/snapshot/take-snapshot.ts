import { messageOf } from "@csi-sidecars/base";
import { finalizersPatch, type ReconcileResult, requeueAfter, retry } from "@csi-sidecars/controller";
import { isAbort, isConflict, type JsonPatchOperation, jsonPatch, keyOf, type Patch, StatusError } from "@csi-sidecars/kube";
import { considerClaim } from "../claim/consider-claim.ts";
import { createContent } from "../content/create-content.ts";
import { newContent } from "../content/new-content.ts";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { eventReasons } from "../event-reasons.ts";
import type { Snapshot } from "../fields.ts";
import { messages } from "../messages.ts";
import { reportProblem } from "../report-problem.ts";
import { addFinalizers, deletionNext } from "./add-finalizers.ts";
import { finalizersFor } from "./plan-snapshot.ts";
import type { TakePlan } from "./plan-take.ts";

/**
 * Has a snapshot taken: its content is created, which csi-snapshotter acts upon. The snapshot has its finalizers before the claim is protected, so that
 * a snapshot whose claim is protected is never gone unseen, and both are there before the content is.
 */
export async function takeSnapshot(
  c: SnapshotControllerContext,
  snapshot: Snapshot,
  plan: TakePlan,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const prepared = await addFinalizers(c, snapshot, (newest) => preparation(newest, plan), signal);
  if (!prepared) return retry;
  if (prepared.metadata.deletionTimestamp !== undefined) return deletionNext(c, prepared);
  // Its user has just named another class than the default one.
  if (prepared.spec?.volumeSnapshotClassName !== plan.class.metadata.name) return requeueAfter(0);
  const { uid, resourceVersion } = prepared.metadata;
  c.protectedClaims.taking.add(uid);
  if (!(await protectClaim(c, prepared, plan, signal))) {
    c.protectedClaims.taking.delete(uid);
    return retry;
  }
  const { content } = plan;
  const object = newContent({ ...content, snapshot: { ...content.snapshot, resourceVersion } });
  try {
    await createContent(c, object, signal);
  } catch (error) {
    if (error instanceof StatusError) {
      c.protectedClaims.taking.delete(uid);
      considerClaim(c, prepared, false);
    }
    if (isAbort(error) || isConflict(error)) throw error;
    const key = keyOf(snapshot);
    c.snapshotEvents.warning(snapshot, eventReasons.postFailed.reason, messages.postFailed(key, messageOf(error)));
    return fail(c, prepared, messages.updateFailed(key, messageOf(error)), error, signal);
  }
  c.protectedClaims.taking.delete(uid);
  c.snapshotEvents.normal(snapshot, eventReasons.creating.reason, messages.creating(keyOf(snapshot)));
  if (plan.lacksNode) c.snapshotEvents.warning(snapshot, eventReasons.noNode.reason, messages.noNode(plan.volume.metadata.name));
  return requeueAfter(c.firstLooks.remainingMs(newContentKey(snapshot)));
}

/** Since when its content exists: see `FirstLooks`. */
export const newContentKey = ({ metadata }: Snapshot) => `content/${metadata.uid}`;

/** Adds the finalizers, and the class if it is the default one, in one write. A snapshot that is being deleted gets neither. */
export function preparation(snapshot: Snapshot, { class: chosen, isDefault }: Pick<TakePlan, "class" | "isDefault">): Patch | undefined {
  if (snapshot.metadata.deletionTimestamp !== undefined) return undefined;
  const finalizers = finalizersPatch(snapshot, { add: finalizersFor(snapshot, { spec: chosen }) });
  if (!isDefault || snapshot.spec?.volumeSnapshotClassName !== undefined) return finalizers;
  const ofThis: JsonPatchOperation = { op: "test", path: "/metadata/uid", value: snapshot.metadata.uid };
  const others = finalizers?.type === "json" ? finalizers.body : [ofThis];
  const path = "/spec/volumeSnapshotClassName";
  return jsonPatch([...others, { op: "test", path, value: null }, { op: "add", path, value: chosen.metadata.name }]);
}

async function protectClaim(c: SnapshotControllerContext, snapshot: Snapshot, { claim }: TakePlan, signal: AbortSignal): Promise<boolean> {
  try {
    return await c.protectedClaims.protect(claim, signal);
  } catch (error) {
    c.protectedClaims.taking.delete(snapshot.metadata.uid);
    if (isAbort(error) || isConflict(error)) throw error;
    return fail(c, snapshot, messages.updateFailed(claim.metadata.name, messageOf(error)), error, signal);
  }
}

/** Tells users, and throws. */
async function fail(
  c: SnapshotControllerContext,
  snapshot: Snapshot,
  message: string,
  cause: unknown,
  signal: AbortSignal,
): Promise<never> {
  const problem = { reason: eventReasons.contentCreationFailed.reason, message: messages.contentCreationFailed(message), notReady: true };
  await reportProblem({ target: c.snapshotTarget, events: c.snapshotEvents, clock: c.clock }, snapshot, problem, signal);
  throw new Error(message, { cause });
}
