import { type Handler, keyOf } from "@csi-sidecars/kube";
import type { Claim, Populator } from "./fields.ts";
import { registeredKind, type SourceKind, sourceKindKey } from "./source-kind.ts";
import type { ValidatorContext } from "./validator-context.ts";
import { awaitedKind, firstLook } from "./verdict.ts";

/** Judges claims that need no populator when they are first seen, and enqueues the others: then, and when a populator for their kind comes or goes. */
export function addEventHandlers(c: ValidatorContext): void {
  const name = "volume-data-source-validator";
  c.caches.populators.addHandler(populatorHandler(c), { name });
  c.caches.claims.addHandler(claimHandler(c), { name });
}

function claimHandler(c: ValidatorContext): Handler<Claim> {
  return {
    onAdd(claim, { initial }) {
      const look = firstLook(claim);
      if (look.is === "judged") c.metrics.count(look.verdict);
      if (look.is === "waiting") c.claimLoop.enqueue(keyOf(claim), initial ? "low" : "normal");
    },
    /** Most changes of a claim need no new verdict. */
    onUpdate(old, claim) {
      const kind = awaitedKind(claim);
      if (isSame(awaitedKind(old), kind)) return;
      c.verdicts.forget(claim.metadata.uid);
      if (kind) c.claimLoop.enqueue(keyOf(claim));
    },
    onDelete: ({ metadata }) => c.verdicts.forget(metadata.uid),
  };
}

function populatorHandler(c: ValidatorContext): Handler<Populator> {
  const consider = (kind: SourceKind | undefined) => {
    if (kind) for (const claim of c.caches.claimsAwaiting(kind)) c.claimLoop.enqueue(keyOf(claim));
  };
  const check = (populator: Populator) => {
    if (registeredKind(populator)) return;
    c.metrics.count("error");
    c.log.error(undefined, "Ignoring a VolumePopulator without a valid sourceKind", { volumePopulator: populator.metadata.name });
  };
  return {
    onAdd(populator) {
      check(populator);
      consider(registeredKind(populator));
    },
    onUpdate(old, populator) {
      check(populator);
      if (isSame(registeredKind(old), registeredKind(populator))) return;
      consider(registeredKind(old));
      consider(registeredKind(populator));
    },
    onDelete: (populator) => consider(registeredKind(populator)),
  };
}

function isSame(a: SourceKind | undefined, b: SourceKind | undefined): boolean {
  return a && b ? sourceKindKey(a) === sourceKindKey(b) : a === b;
}
