import { Controller, InfeasibleBackoff, retryRateLimiter } from "@csi-sidecars/controller";
import type { View } from "@csi-sidecars/kube";
import { claimKey, claimName } from "../claim-key.ts";
import { type AttributesClass, attributesClassFields, type Claim } from "../fields.ts";
import type { ResizerComponentContext } from "../flags.ts";
import type { ResizerContext } from "../resizer-context.ts";

/** What modifying volumes needs beside what it shares with expanding them. */
export interface ModifyContext extends ResizerContext {
  /** Keys are those of `claimKey`. */
  readonly controller: Controller;
  readonly classes: View<AttributesClass>;
  /** Claims whose class the driver has refused for good. */
  readonly infeasible: InfeasibleBackoff;
  /** `--extra-modify-metadata` */
  readonly extraMetadata: boolean;
  /** Forgets all that is remembered of a claim that is gone. */
  forget(claim: Claim): void;
}

export function modifyContext(context: ResizerComponentContext, c: ResizerContext): ModifyContext {
  const { driver, flags, clock, informers } = context;
  const classes = informers.forFields(attributesClassFields);
  const infeasible = new InfeasibleBackoff(flags.retryIntervalMax, clock);
  const controller = new Controller(context, {
    ...{ name: `${driver.name}-pvc`, rateLimiter: retryRateLimiter(flags), workers: flags.workers, waitFor: [classes] },
    driver: driver.availability,
    logFields: (key) => ({ claim: claimName(key) }),
  });
  return {
    ...c,
    ...{ controller, classes, infeasible },
    extraMetadata: flags.extraModifyMetadata,
    forget(claim) {
      const key = claimKey(claim);
      controller.queue.forget(key);
      infeasible.delete(key);
    },
  };
}
