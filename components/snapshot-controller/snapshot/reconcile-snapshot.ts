import { done, type Reconcile, type ReconcileResult, requeueAfter, retry } from "@csi-sidecars/controller";
import { considerClaim } from "../claim/consider-claim.ts";
import type { SnapshotControllerContext } from "../controller-context.ts";
import { eventReasons } from "../event-reasons.ts";
import type { Snapshot } from "../fields.ts";
import { messages } from "../messages.ts";
import { reportProblem } from "../report-problem.ts";
import { isReadyAndBound } from "./binding.ts";
import { deleteSnapshot } from "./delete-snapshot.ts";
import { lookupsOf } from "./lookups.ts";
import { operationLabels } from "./operation-labels.ts";
import { planSnapshot, type SnapshotPlan } from "./plan-snapshot.ts";
import { syncSnapshot } from "./sync-snapshot.ts";
import { takeSnapshot } from "./take-snapshot.ts";

/** Brings a snapshot and its content together. The process may end at every await: the next attempt continues from what is stored by then. */
export const reconcileSnapshot =
  (c: SnapshotControllerContext): Reconcile =>
  async (key, signal) => {
    const snapshot = c.snapshots.get(key);
    if (!snapshot) return done;
    if (snapshot.metadata.deletionTimestamp !== undefined) return deleteSnapshot(c, snapshot, signal);
    const plan = planSnapshot(snapshot, lookupsOf(c));
    startMetrics(c, snapshot);
    if (plan.step !== "take") c.protectedClaims.taking.delete(snapshot.metadata.uid);
    if (plan.step === "problem") return report(c, snapshot, plan, signal);
    c.firstLooks.forget(lateKey(snapshot));
    switch (plan.step) {
      case "waitForGroup":
        return retry;
      case "take":
        return takeSnapshot(c, snapshot, plan, signal);
      case "sync":
        return syncSnapshot(c, snapshot, plan, signal);
    }
  };

/** For how long something has been missing: see `FirstLooks`. */
export const lateKey = ({ metadata }: Snapshot) => `problem/${metadata.uid}`;

/** A class that only the content names is not watched for. */
const isRetried: readonly string[] = [eventReasons.statusUpdateFailed.reason, eventReasons.bindFailed.reason];

/**
 * Tells users what is wrong, unless it is over before they could read it. Whatever the cause is, what ends it is watched, and brings the snapshot
 * back.
 */
async function report(
  c: SnapshotControllerContext,
  snapshot: Snapshot,
  { problem, cause }: Extract<SnapshotPlan, { step: "problem" }>,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  considerClaim(c, snapshot, false);
  const isKnown = snapshot.status?.error?.message === problem.message;
  const waitMs = isKnown ? 0 : c.firstLooks.remainingMs(lateKey(snapshot));
  if (waitMs > 0) return requeueAfter(waitMs);
  await reportProblem({ target: c.snapshotTarget, events: c.snapshotEvents, clock: c.clock }, snapshot, problem, signal);
  if (cause !== undefined && !isKnown) {
    c.snapshotEvents.warning(snapshot, eventReasons.finalizersFailed.reason, messages.finalizersFailed(cause));
  }
  c.log.v(4).info("The snapshot waits", { snapshot: `${snapshot.metadata.namespace}/${snapshot.metadata.name}`, problem: problem.message });
  return isRetried.includes(problem.reason) ? retry : done;
}

function startMetrics(c: SnapshotControllerContext, snapshot: Snapshot): void {
  if (isReadyAndBound(snapshot)) return;
  const { uid } = snapshot.metadata;
  const labels = operationLabels(c, snapshot);
  if (snapshot.status?.creationTime === undefined) c.metrics.start("CreateSnapshot", uid, labels);
  c.metrics.start("CreateSnapshotAndReady", uid, labels);
}
