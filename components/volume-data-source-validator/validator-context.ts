import type { Logger } from "@csi-sidecars/base";
import { Controller, type ObjectEvents, objectEvents } from "@csi-sidecars/controller";
import { itemExponential, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { type Caches, openCaches } from "./caches.ts";
import { ClaimVerdicts } from "./claim-verdicts.ts";
import { EarlierWarnings } from "./earlier-warnings.ts";
import type { ValidatorComponentContext } from "./flags.ts";
import { type ValidatorMetrics, validatorMetrics } from "./metrics.ts";

/** What event handlers and reconciler share. */
export interface ValidatorContext {
  readonly caches: Caches;
  readonly verdicts: ClaimVerdicts;
  readonly earlierWarnings: EarlierWarnings;
  /** Keys are `namespace/name` of claims that need a populator. */
  readonly claimLoop: Controller;
  readonly events: ObjectEvents;
  readonly metrics: ValidatorMetrics;
  readonly log: Logger;
}

/** As upstream's queue waits. Nothing that is done for a claim fails. */
const retry = { startMs: 5, maxMs: 1_000_000 };

export function validatorContext(context: ValidatorComponentContext): ValidatorContext {
  const { flags, kube, clock, log } = context;
  const verdicts = new ClaimVerdicts(clock, flags.warningDelay);
  return {
    caches: openCaches(context),
    verdicts,
    earlierWarnings: new EarlierWarnings({ kube, clock, log }),
    claimLoop: new Controller(context, {
      name: "volume-data-source-validator",
      rateLimiter: itemExponential(retry.startMs, retry.maxMs),
      workers: flags.workerThreads,
    }),
    events: objectEvents(context.events("volume-data-source-validator"), PersistentVolumeClaim),
    metrics: validatorMetrics(context.metrics, verdicts),
    log,
  };
}
