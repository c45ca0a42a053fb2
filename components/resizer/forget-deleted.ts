import type { Key, Reconcile } from "@csi-sidecars/kube";
import { findClaim } from "./claim-key.ts";
import type { ResizerContext } from "./resizer-context.ts";

/** A control loop that remembers something about claims. */
interface Remembering extends Pick<ResizerContext, "caches"> {
  /** Forgets all that is remembered of a claim that is gone. */
  forget(key: Key): void;
}

/** The reconciler, which keeps nothing of a claim that is deleted during an attempt: no event would ever remove what it learns after that. */
export function forgettingDeleted(loop: Remembering, reconcile: Reconcile): Reconcile {
  return async (key, signal) => {
    try {
      return await reconcile(key, signal);
    } finally {
      if (!findClaim(loop.caches.claims, key)) loop.forget(key);
    }
  };
}
