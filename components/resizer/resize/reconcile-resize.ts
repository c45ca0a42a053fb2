import { done, type Reconcile } from "@csi-sidecars/controller";
import { findClaim } from "../claim-key.ts";
import type { ResizeContext } from "./resize-context.ts";

/** Expands the volume of a claim. The process may end at every await: the next attempt continues from what is stored by then. */
export const reconcileResize =
  (c: ResizeContext): Reconcile =>
  async (key) => {
    const claim = findClaim(c.claims, key);
    if (!claim) return done;
    return done;
  };
