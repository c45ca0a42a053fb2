import { apiCallOptions, done, type ReconcileResult, readAndUpdate, requeueAfter } from "@csi-sidecars/controller";
import { GrpcError } from "@csi-sidecars/csi";
import { isAbort, keyOf, PersistentVolumeClaim } from "@csi-sidecars/kube";
import type { Claim } from "../fields.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { selectedNodeAnnotation, withSelectedNode } from "../topology/selected-node.ts";
import { hasInProgressFinalizer, removeInProgressFinalizer } from "./in-progress-finalizer.ts";
import type { CreateFailure, ProvisionRequest } from "./provision-request.ts";

/**
 * What becomes of a claim that has no volume after an attempt. Throws where it is retried with backoff; a request that is infeasible is
 * retried later, and one that the driver has no capacity for goes back to the scheduler.
 */
export async function handleCreateFailure(
  c: ProvisionerContext,
  request: ProvisionRequest,
  { kind, error }: CreateFailure,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { claim } = request;
  const { uid } = claim.metadata;
  if (kind === "uncertain") c.state.outcomeUncertain(request);
  else if (kind !== "unchanged") c.state.outcomeCertain(uid);
  // The driver has returned a volume, which is deleted or in use.
  if (kind === "final" && !(error instanceof GrpcError)) c.state.orphanResolved(uid);
  if (kind === "infeasible") {
    c.state.requestInfeasible(uid, request.class.metadata.uid);
    c.metrics.provisionFailed(claim);
    c.events.infeasible(claim, error.message);
    c.log.error(error, "The driver cannot create the volume: the request is infeasible", { claim: keyOf(claim) });
    await removeInProgressFinalizer(c, claim, signal);
    return c.unfinishedClaim(uid) ? requeueAfter(c.state.infeasibleDelayMs) : done;
  }
  reportFailure(c, claim, error, signal);
  // A claim that was found with our finalizer may have a call of an earlier process running: only the driver's answer ends that.
  const mayRun = c.state.isInProgress(uid) || (kind === "unchanged" && hasInProgressFinalizer(claim));
  if (!mayRun) await removeInProgressFinalizer(c, claim, signal);
  if (kind !== "reschedule" || !c.unfinishedClaim(uid) || !canReschedule(claim)) throw error;
  await rescheduleClaim(c, claim, signal);
  return done;
}

/** Tells the claim's user what went wrong. Work that was aborted has not failed. */
export function reportFailure(c: ProvisionerContext, claim: Claim, error: Error, signal: AbortSignal): void {
  if (signal.aborted || isAbort(error)) return;
  c.metrics.provisionFailed(claim);
  c.events.failed(claim, error.message);
}

/** Whether the scheduler can be asked for another node: only what it wrote is removed. */
export function canReschedule({ metadata }: Claim): boolean {
  return metadata.annotations?.[selectedNodeAnnotation] !== undefined;
}

/** Has the scheduler choose another node. A claim that was replaced, or has another node by now, stays as it is. */
export async function rescheduleClaim(c: ProvisionerContext, { metadata }: Claim, signal: AbortSignal): Promise<void> {
  const { name, namespace, uid, annotations } = metadata;
  const refused = annotations?.[selectedNodeAnnotation];
  const written = await readAndUpdate(
    c.kube,
    PersistentVolumeClaim,
    { name, namespace },
    (fresh) => {
      if (fresh.metadata?.uid !== uid || fresh.metadata.annotations?.[selectedNodeAnnotation] !== refused) return undefined;
      const rest = withSelectedNode(fresh.metadata.annotations, undefined);
      return rest && { ...fresh, metadata: { ...fresh.metadata, annotations: rest } };
    },
    apiCallOptions(signal),
  );
  c.state.nodeProblemSolved(uid);
  c.state.claimRescheduled(uid, written.metadata?.resourceVersion ?? "");
  // The watch may have been faster than the response.
  const cached = c.unfinishedClaim(uid);
  if (cached && c.state.missedReschedule(cached)) c.controllers.claims.enqueue(uid);
}
