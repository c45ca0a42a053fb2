import type { WantedClaim } from "../claim-patch.ts";
import type { Claim } from "../fields.ts";
import { writeClaim } from "../write-claim.ts";
import type { ModifyContext } from "./modify-context.ts";
import { wantedClassName } from "./plan-modify.ts";

/** `newest`: the claim as it is now; `undefined` if it is gone. */
type StepOutcome = { readonly isTaken: true; readonly newest: Claim } | { readonly isTaken: false; readonly newest: Claim | undefined };

/** Writes a step of modifying into the claim. It is not taken if the claim names another class by now: then something else is to be done. */
export async function writeStep(
  c: ModifyContext,
  claim: Claim,
  step: (newest: Claim) => WantedClaim,
  signal: AbortSignal,
): Promise<StepOutcome> {
  const isWanted = (newest: Claim) => wantedClassName(newest) === wantedClassName(claim);
  const newest = await writeClaim(c, claim, (fresh) => (isWanted(fresh) ? step(fresh) : undefined), signal);
  return newest && isWanted(newest) ? { isTaken: true, newest } : { isTaken: false, newest };
}
