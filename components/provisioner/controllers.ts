import { AdaptiveConcurrency, Controller, retryRateLimiter } from "@csi-sidecars/controller";
import { defaultControllerLimiter, keyOf } from "@csi-sidecars/kube";
import type { CacheLookups } from "./caches.ts";
import type { ProvisionerComponentContext } from "./flags.ts";
import type { ProvisionerMetrics } from "./metrics.ts";
import type { ProvisionerState } from "./provisioner-state.ts";

/** The control loops, each with its queue. */
export interface Controllers {
  /** Creates volumes; keys are uids of claims. */
  readonly claims: Controller;
  /** Protects and deletes volumes; keys are names of PersistentVolumes. */
  readonly volumes: Controller;
  /** Releases clone sources; keys are those of the claims that are cloned. */
  readonly cloneSources: Controller;
  /** Saves PersistentVolumes that could not be saved at once; keys are their names. */
  readonly unsavedVolumes: Controller;
}

/** How many calls of CreateVolume and of DeleteVolume run at the same time. */
export type Concurrency = Readonly<Record<"claims" | "volumes", AdaptiveConcurrency>>;

/** As many as upstream: saving is only waiting for the API server. */
const saveWorkers = 4;

/** The control loops; they reconcile nothing before they run. The queues of claims and of clone sources share a name, as upstream's. */
export function createControllers(
  context: ProvisionerComponentContext,
  { unfinishedClaim }: CacheLookups,
  state: ProvisionerState,
): Controllers {
  const { flags, clock } = context;
  const driver = context.driver.availability;
  const logFields = (uid: string) => {
    const claim = unfinishedClaim(uid) ?? state.requestInProgress(uid)?.claim;
    return claim ? { claim: keyOf(claim) } : {};
  };
  return {
    claims: new Controller(context, {
      ...{ name: "claims", rateLimiter: retryRateLimiter(flags), workers: flags.workerThreads, logFields, driver },
    }),
    volumes: new Controller(context, { name: "volumes", rateLimiter: retryRateLimiter(flags), workers: flags.workerThreads, driver }),
    cloneSources: new Controller(context, {
      name: "claims",
      rateLimiter: retryRateLimiter(flags),
      workers: flags.cloningProtectionThreads,
    }),
    unsavedVolumes: new Controller(context, { name: "unsavedpvs", rateLimiter: defaultControllerLimiter(clock), workers: saveWorkers }),
  };
}

/** Fewer calls of CreateVolume and DeleteVolume at a time while the driver is overloaded. */
export function adaptConcurrency(
  { flags, clock }: ProvisionerComponentContext,
  controllers: Controllers,
  metrics: ProvisionerMetrics,
): Concurrency {
  const adaptive = (queue: "claims" | "volumes") =>
    new AdaptiveConcurrency(
      flags.workerThreads,
      (limit) => {
        controllers[queue].setConcurrency(limit);
        metrics.limit(queue, limit);
      },
      clock,
    );
  return { claims: adaptive("claims"), volumes: adaptive("volumes") };
}
