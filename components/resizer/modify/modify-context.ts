import { Controller, InfeasibleBackoff, retryRateLimiter, WaitingForClass } from "@csi-sidecars/controller";
import type { Key, View } from "@csi-sidecars/kube";
import { claimName } from "../claim-key.ts";
import { type AttributesClass, attributesClassFields } from "../fields.ts";
import type { ResizerComponentContext } from "../flags.ts";
import type { ResizerContext } from "../resizer-context.ts";
import { countModifications, type ModificationCounts } from "./count-modifications.ts";
import { ModifyState } from "./modify-state.ts";

/** What modifying volumes needs beside what it shares with expanding them. */
export interface ModifyContext extends ResizerContext {
  /** Keys are those of `claimKey`. */
  readonly controller: Controller;
  readonly classes: View<AttributesClass>;
  readonly state: ModifyState;
  /** Claims whose class is missing, another driver's, or refused. */
  readonly waiting: WaitingForClass;
  /** Claims whose class the driver has refused for good, with the uid of that class. */
  readonly infeasible: InfeasibleBackoff;
  /** `--extra-modify-metadata` */
  readonly extraMetadata: boolean;
  counts(): ModificationCounts;
  /** Forgets all that is remembered of a claim that is gone. */
  forget(key: Key): void;
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
  const state = new ModifyState();
  const waiting = new WaitingForClass();
  return {
    ...c,
    ...{ controller, classes, state, waiting, infeasible },
    extraMetadata: flags.extraModifyMetadata,
    counts: countModifications(c, state),
    forget(key) {
      controller.queue.forget(key);
      state.forget(key);
      waiting.delete(key);
      infeasible.delete(key);
    },
  };
}
