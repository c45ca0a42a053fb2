import { asError } from "@csi-sidecars/base";
import { apiTimeoutMs } from "@csi-sidecars/controller";
import type { Claim, Class } from "../fields.ts";
import { compete } from "../node/node-competition.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";
import { giveBack, report } from "./failed-attempt.ts";
import { isMarkedInProgress, markInProgress } from "./in-progress-mark.ts";
import { Left } from "./left.ts";
import { planProvision } from "./plan-provision.ts";
import type { Preparation, Refusal } from "./preparation.ts";
import { prepare } from "./prepare.ts";
import { canReschedule } from "./reschedule-claim.ts";
import { unmark } from "./unmark-claim.ts";
import { volumeName } from "./volume-name.ts";

/** What the driver is to be asked for the claim, from now on the same in every attempt; nothing where it needs no volume of ours. */
export async function beginClaim(c: ProvisionerContext, found: Claim, signal: AbortSignal): Promise<Preparation | undefined> {
  const claim = asBegun(c, found);
  const plan = planProvision(claim, (name) => c.classes.get(name), c.driver);
  if (plan.step === "none") {
    if (isMarkedInProgress(claim)) await unmark(c, claim, signal);
    return undefined;
  }
  if (plan.step === "report") {
    c.metrics.provisionFailed(claim);
    throw new Error(plan.message);
  }
  if (c.settings.persistInProgress && claim.metadata.deletionTimestamp && !isMarkedInProgress(claim)) return undefined;
  const whose = c.ownNode ? await compete(c, c.ownNode, { claim, class: plan.class }, signal) : "own";
  if (whose !== "own") throw new Left(whose);
  c.events.provisioning(claim);
  // Nobody has ever used the volume of a claim that was recalled: it is not kept, whatever its class says.
  const of: Class = c.memory.recalled.has(claim.metadata.uid) ? { ...plan.class, reclaimPolicy: "Delete" } : plan.class;
  const preparation = await prepare(c, { claim, class: of, selectedNode: plan.selectedNode }, signal).catch((error: unknown) => {
    report(c, claim, asError(error), signal);
    throw error;
  });
  if (!("refused" in preparation)) {
    const safe = !c.settings.persistInProgress || (await markInProgress(c.kube, claim, { signal, timeoutMs: apiTimeoutMs }));
    if (!safe) throw new Left();
    return preparation;
  }
  return refused(c, claim, preparation, signal);
}

/**
 * A claim with the mark that has another volume by now: the driver may be making one for it all the same, and only the driver's word
 * ends that. The cluster releases a volume whose claim has another one.
 */
function asBegun({ settings }: ProvisionerContext, claim: Claim): Claim {
  const { volumeName: bound, ...spec } = claim.spec ?? {};
  const elsewhere = bound && bound !== volumeName(settings.naming, claim.metadata.uid).value;
  return elsewhere && isMarkedInProgress(claim) ? { ...claim, spec } : claim;
}

async function refused(c: ProvisionerContext, claim: Claim, { refused: why, error }: Refusal, signal: AbortSignal): Promise<never> {
  if (why === "populator") {
    c.events.leftToPopulator(claim);
    throw new Left();
  }
  report(c, claim, error, signal);
  if (why === "reschedule" && canReschedule(claim)) await giveBack(c, claim, signal);
  throw error;
}
