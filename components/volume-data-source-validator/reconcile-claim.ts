import { done, type Reconcile, requeueAfter } from "@csi-sidecars/controller";
import { keyOf, type View } from "@csi-sidecars/kube";
import { eventReasons } from "./event-reasons.ts";
import type { Claim } from "./fields.ts";
import { messages } from "./messages.ts";
import type { SourceKind } from "./source-kind.ts";
import type { ValidatorContext } from "./validator-context.ts";
import { awaitedKind } from "./verdict.ts";

/** What of the context it uses. */
type Used = Pick<ValidatorContext, "verdicts" | "earlierWarnings" | "metrics" | "log"> & {
  readonly caches: Pick<ValidatorContext["caches"], "isRegistered"> & { readonly claims: Pick<View<Claim>, "get"> };
  readonly events: Pick<ValidatorContext["events"], "warning">;
};

/**
 * Judges a claim that needs a populator, and warns its users when there is none for longer than the delay. A verdict that stays the same is
 * neither counted nor told again.
 */
export function reconcileClaim(c: Used): Reconcile {
  return async (key, signal) => {
    const claim = c.caches.claims.get(key);
    const kind = claim && awaitedKind(claim);
    if (!kind) return done;
    const { uid } = claim.metadata;
    if (c.caches.isRegistered(kind)) {
      if (c.verdicts.found(uid)) c.metrics.count("populator");
      return done;
    }
    if (c.verdicts.of(uid) === "invalid") return done;
    const remainingMs = c.verdicts.missing(uid);
    if (remainingMs > 0) return requeueAfter(remainingMs);
    // The claim and the populators may be others by then.
    if (!c.earlierWarnings.isKnown) return requeueAfter(await c.earlierWarnings.read(signal));
    refuse(c, claim, kind);
    return done;
  };
}

function refuse(c: Used, claim: Claim, kind: SourceKind): void {
  const { uid } = claim.metadata;
  // One that was served since then has lost its populator: that is news, whatever an earlier process has told.
  const wasTold = c.verdicts.of(uid) === undefined && c.earlierWarnings.take(uid);
  c.verdicts.invalid(uid);
  c.metrics.count("invalid");
  // The event does not name the kind: its text is upstream's.
  c.log.info("No VolumePopulator registers the kind of a claim's data source", { claim: keyOf(claim), ...kind });
  if (!wasTold) c.events.warning(claim, eventReasons.unrecognized.reason, messages.unrecognized());
}
