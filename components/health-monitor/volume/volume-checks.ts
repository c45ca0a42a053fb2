import type { Availability, VolumeCondition, VolumeLists } from "@csi-sidecars/csi";
import { claimOf } from "../claim-of.ts";
import type { Claim, Volume } from "../fields.ts";
import type { HealthContext } from "../health-context.ts";
import type { CheckMetrics } from "./check-metrics.ts";

/** What the two ways to ask the driver share. */
export interface VolumeChecks extends HealthContext {
  readonly metrics: CheckMetrics;
  readonly availability: Availability;
  /** Shared with the other components of the process. */
  readonly volumeLists: VolumeLists;
}

/** Tells the users of a volume about its condition: each time that it is abnormal, and once that it no longer is. */
export function reportCondition(c: VolumeChecks, volume: Volume, condition: VolumeCondition | undefined): void {
  const claim = reportedClaim(c, volume);
  if (!claim) return;
  if (condition?.abnormal) {
    c.conditions.markAbnormal(claim);
    c.events.abnormal(claim, condition.message);
  } else if (c.conditions.markNormal(claim)) {
    c.events.normal(claim);
  }
}

/** Tells them that the driver does not list the volume any more. For them that is one way to be abnormal. */
export function reportMissing(c: VolumeChecks, volume: Volume): void {
  const claim = reportedClaim(c, volume);
  if (!claim) return;
  c.conditions.markAbnormal(claim);
  c.events.missing(claim, volume.spec?.csi?.volumeHandle ?? "", c.driver.name);
}

/** The claim to report to. A volume that is not bound, or not to a claim that exists, has nobody who is to be told. */
function reportedClaim({ driver, claims, log }: VolumeChecks, volume: Volume): Claim | undefined {
  const claim = claimOf(volume, driver.name, claims);
  if (!claim)
    log.v(4).info("The condition of a volume is not reported: there is no claim that it is bound to", { PV: volume.metadata.name });
  return claim;
}
