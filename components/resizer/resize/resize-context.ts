import { Controller, retryRateLimiter } from "@csi-sidecars/controller";
import { type Key, metav1Time } from "@csi-sidecars/kube";
import { claimKey, claimName } from "../claim-key.ts";
import { type Claim, podFields } from "../fields.ts";
import type { ResizerComponentContext } from "../flags.ts";
import type { ResizerContext } from "../resizer-context.ts";
import type { MarkOptions } from "./claim-marks.ts";
import { InUseErrors } from "./in-use/in-use-errors.ts";
import { PodsByClaim } from "./in-use/pods-by-claim.ts";
import { ResizeState } from "./resize-state.ts";

/** What expanding volumes needs beside what it shares with modifying them. */
export interface ResizeContext extends ResizerContext {
  /** Keys are those of `claimKey`. */
  readonly controller: Controller;
  readonly state: ResizeState;
  readonly inUse: InUseErrors;
  /** The gate `RecoverVolumeExpansionFailure`. */
  readonly recovers: boolean;
  /** The gate `AnnotateFsResize`. */
  readonly annotatesSize: boolean;
  /** How the claims are marked that are written now. */
  marks(): MarkOptions;
  /** For the metrics: how many claims are too small, and what some of them wait for. */
  counts(): { readonly pending: number; readonly infeasible: number; readonly in_use: number };
  /** Forgets all that is remembered of a claim that is gone. */
  forget(key: Key): void;
}

export function resizeContext(context: ResizerComponentContext, c: ResizerContext): ResizeContext {
  const { driver, flags, gates, clock, informers } = context;
  const recovers = gates.enabled("RecoverVolumeExpansionFailure");
  const state = new ResizeState(flags.retryIntervalMax, clock);
  const controller = new Controller(context, {
    ...{ name: `${driver.name}-pvc`, rateLimiter: retryRateLimiter(flags), workers: flags.workers },
    driver: driver.availability,
    logFields: (key) => ({ claim: claimName(key) }),
  });
  /** Nobody uses the claim any more: what the driver refused it does now, whatever delay the claim has reached. */
  const retry = (key: Key) => {
    controller.queue.forget(key);
    controller.enqueue(key);
  };
  const handlers = {
    listed: () => inUse.takeUnused().forEach(retry),
    unused(claim: Claim) {
      const key = claimKey(claim);
      if (inUse.has(key)) retry(key);
    },
  };
  const inUse = new InUseErrors(
    flags.handleVolumeInuseError ? new PodsByClaim(c.claims, () => informers.forFields(podFields), handlers) : undefined,
  );
  return {
    ...c,
    ...{ controller, state, inUse, recovers },
    annotatesSize: gates.enabled("AnnotateFsResize"),
    marks: () => ({ recovers, now: metav1Time(clock.now()) }),
    counts: () => ({ ...state.counts(), in_use: inUse.size }),
    forget(key) {
      controller.queue.forget(key);
      state.forget(key);
      inUse.delete(key);
    },
  };
}
