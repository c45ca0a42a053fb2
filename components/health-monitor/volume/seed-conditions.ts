import { backoffDelays } from "@csi-sidecars/base";
import { eventReasons } from "../event-reasons.ts";
import type { HealthContext } from "../health-context.ts";
import type { ClaimConditions } from "./claim-conditions.ts";
import { readEarlierReports } from "./earlier-reports.ts";

const retryBackoff = { start: 1_000, factor: 2, cap: 60_000, jitter: 0.1 };

/**
 * Learns from the events of the cluster which claims earlier processes reported as abnormal, so that a recovery is told also when they
 * are gone. `tried` resolves when it was tried once: volumes are checked then all the same, and it is tried until it succeeds (`done`).
 */
export function seedConditions(
  { kube, clock, log }: Pick<HealthContext, "kube" | "clock" | "log">,
  conditions: ClaimConditions,
  options: { readonly missingToo: boolean; readonly signal: AbortSignal },
): { readonly tried: Promise<void>; readonly done: Promise<void> } {
  const { missingToo, signal } = options;
  const { abnormal, normal, missing } = eventReasons;
  const reasons = { abnormal: missingToo ? [abnormal, missing] : [abnormal], normal };
  const tried = Promise.withResolvers<void>();
  const seed = async () => {
    for (const delay of backoffDelays(retryBackoff)) {
      try {
        conditions.addEarlierReports(await readEarlierReports(kube, reasons, signal));
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.error(error, "Could not read the events about abnormal volumes, will be retried: until then only new recoveries are reported");
      }
      tried.resolve();
      await clock.sleep(delay, signal).catch(() => undefined);
      if (signal.aborted) return;
    }
  };
  return { tried: tried.promise, done: seed().finally(tried.resolve) };
}
