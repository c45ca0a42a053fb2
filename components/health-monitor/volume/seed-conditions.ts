import { eventReasons } from "../event-reasons.ts";
import type { HealthContext } from "../health-context.ts";
import { readEarlierEvents } from "../read-earlier-events.ts";
import type { ClaimConditions } from "./claim-conditions.ts";
import { readEarlierReports } from "./earlier-reports.ts";

/**
 * Learns from the events of the cluster which claims earlier processes reported as abnormal, so that a recovery is told also when they
 * are gone.
 */
export function seedConditions(
  { kube, clock, log }: Pick<HealthContext, "kube" | "clock" | "log">,
  conditions: ClaimConditions,
  { missingToo, signal }: { readonly missingToo: boolean; readonly signal: AbortSignal },
): ReturnType<typeof readEarlierEvents> {
  const { abnormal, normal, missing } = eventReasons;
  const reasons = { abnormal: missingToo ? [abnormal, missing] : [abnormal], normal };
  const read = async () => conditions.addEarlierReports(await readEarlierReports(kube, reasons, signal));
  const failure = "Could not read the events about abnormal volumes, will be retried: until then only new recoveries are reported";
  return readEarlierEvents(read, { clock, log, signal, failure });
}
