import { done, type Reconcile } from "@csi-sidecars/controller";
import { findClaim } from "../claim-key.ts";
import type { ModifyContext } from "./modify-context.ts";

/** Modifies the volume of a claim. The process may end at every await: the next attempt continues from what is stored by then. */
export const reconcileModify =
  (c: ModifyContext): Reconcile =>
  async (key) => {
    const claim = findClaim(c.claims, key);
    if (!claim) return done;
    return done;
  };
