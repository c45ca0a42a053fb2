import { claimOf } from "../claim-of.ts";
import type { Volume } from "../fields.ts";
import type { HealthMonitorComponentContext } from "../flags.ts";
import type { HealthContext } from "../health-context.ts";
import { checkMetrics } from "./check-metrics.ts";
import type { ClaimConditions } from "./claim-conditions.ts";
import { runGetVolumeMode } from "./get-volume-mode.ts";
import { runListVolumesMode } from "./list-volumes-mode.ts";
import { seedConditions } from "./seed-conditions.ts";
import type { VolumeChecks } from "./volume-checks.ts";

/** Asks the driver about its volumes and reports the abnormal ones, until the signal aborts: all at once where it can list them. */
export async function runVolumeChecks({ driver, flags, metrics, signal }: HealthMonitorComponentContext, c: HealthContext): Promise<void> {
  const { conditions } = c;
  forgetWhatIsGone(c, conditions);
  const checks: VolumeChecks = {
    ...c,
    metrics: checkMetrics({ registry: metrics, driver: c.driver.name, conditions, clock: c.clock }),
    availability: driver.availability,
    volumeLists: driver.volumeLists,
  };
  const seeding = seedConditions(c, conditions, { missingToo: flags.reportMissingVolumes, signal });
  await seeding.tried;
  if (c.driver.listsVolumes) await runListVolumesMode(checks, flags, signal);
  if (!signal.aborted) await runGetVolumeMode(checks, flags, signal);
  await seeding.done;
}

/** Lets go of what was told to claims that are deleted, and counts no volume that is, or that is another claim's. */
function forgetWhatIsGone({ volumes, claims, driver }: HealthContext, conditions: ClaimConditions): void {
  claims.addHandler({ onDelete: (claim) => conditions.claimGone(claim) });
  const left = (volume: Volume, now?: Volume) => {
    const claim = claimOf(volume, driver.name, claims);
    const isStillIts = now && claim?.metadata.uid === claimOf(now, driver.name, claims)?.metadata.uid;
    if (claim && !isStillIts) conditions.volumeGone(claim);
  };
  volumes.addHandler({ onUpdate: left, onDelete: (volume) => left(volume) });
}
