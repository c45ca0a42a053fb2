import { apiTimeoutMs } from "@csi-sidecars/controller";
import type { Claim } from "../fields.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { isMarkedInProgress, unmarkInProgress } from "./in-progress-mark.ts";

/** The claim's volume is on record. While the cluster binds the two it writes the claim, so we wait for our turn, but for no deleted claim. */
export async function unmarkWhenSettled(c: ProvisionerContext, claim: Claim, signal: AbortSignal): Promise<void> {
  if (c.unsaved.has(c.memory.provisioned.get(claim.metadata.uid) ?? "")) return;
  if (claim.metadata.deletionTimestamp || claim.status?.phase === "Bound") await unmark(c, claim, signal);
}

/** Nothing is running for the claim any more: it may go. */
export async function unmark(c: ProvisionerContext, claim: Claim, signal: AbortSignal): Promise<void> {
  const now = c.claimOf(claim.metadata.uid) ?? claim;
  if (!c.settings.persistInProgress && !isMarkedInProgress(now)) return;
  await unmarkInProgress(c.kube, now, { signal, timeoutMs: apiTimeoutMs });
}
