import { storageClassName } from "@csi-sidecars/controller";
import type { Claim } from "../fields.ts";
import type { ProvisionerContext } from "../provisioner-context.ts";

/** How long a request that the driver will never grant still rests; a class that was made anew ends the rest. */
export function restOf({ memory, settings, classes, clock }: ProvisionerContext, claim: Claim): number | undefined {
  const { uid } = claim.metadata;
  const entry = memory.infeasible.get(uid);
  if (!entry) return undefined;
  const left = entry.at + settings.infeasibleRestMs - clock.monotonic();
  const found = classes.get(storageClassName(claim));
  if (left > 0 && (!found || found.metadata.uid === entry.classUid)) return left;
  memory.infeasible.delete(uid);
  return undefined;
}
