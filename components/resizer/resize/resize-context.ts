import { Controller, InfeasibleBackoff, retryRateLimiter } from "@csi-sidecars/controller";
import { claimKey, claimName } from "../claim-key.ts";
import type { Claim } from "../fields.ts";
import type { ResizerComponentContext } from "../flags.ts";
import type { ResizerContext } from "../resizer-context.ts";

/** What expanding volumes needs beside what it shares with modifying them. */
export interface ResizeContext extends ResizerContext {
  /** Keys are those of `claimKey`. */
  readonly controller: Controller;
  /** Claims whose size the driver has refused for good. */
  readonly infeasible: InfeasibleBackoff;
  /** The gate `RecoverVolumeExpansionFailure`. */
  readonly recovers: boolean;
  /** The gate `AnnotateFsResize`. */
  readonly annotatesSize: boolean;
  /** Forgets all that is remembered of a claim that is gone. */
  forget(claim: Claim): void;
}

export function resizeContext(context: ResizerComponentContext, c: ResizerContext): ResizeContext {
  const { driver, flags, gates, clock } = context;
  const infeasible = new InfeasibleBackoff(flags.retryIntervalMax, clock);
  const controller = new Controller(context, {
    ...{ name: `${driver.name}-pvc`, rateLimiter: retryRateLimiter(flags), workers: flags.workers },
    driver: driver.availability,
    logFields: (key) => ({ claim: claimName(key) }),
  });
  return {
    ...c,
    ...{ controller, infeasible },
    recovers: gates.enabled("RecoverVolumeExpansionFailure"),
    annotatesSize: gates.enabled("AnnotateFsResize"),
    forget(claim) {
      const key = claimKey(claim);
      controller.queue.forget(key);
      infeasible.delete(key);
    },
  };
}
