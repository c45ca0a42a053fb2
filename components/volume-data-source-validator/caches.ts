import type { View } from "@csi-sidecars/kube";
import { type Claim, claimFields, type Populator, populatorFields } from "./fields.ts";
import type { ValidatorComponentContext } from "./flags.ts";
import { registeredKind, type SourceKind, sourceKindKey } from "./source-kind.ts";
import { awaitedKind } from "./verdict.ts";

const index = "source kind";

/** Claims and populators as the watches show them, found by kinds of data sources. */
export interface Caches {
  readonly claims: View<Claim>;
  readonly populators: View<Populator>;
  /** Whether a populator serves the kind. */
  isRegistered(kind: SourceKind): boolean;
  /** The unbound claims that need a populator for the kind. */
  claimsAwaiting(kind: SourceKind): readonly Claim[];
}

export function openCaches({ informers }: Pick<ValidatorComponentContext, "informers">): Caches {
  const claims = informers.forFields(claimFields);
  const populators = informers.forFields(populatorFields);
  claims.addIndex(index, (claim) => keysOf(awaitedKind(claim)));
  populators.addIndex(index, (populator) => keysOf(registeredKind(populator)));
  return {
    ...{ claims, populators },
    isRegistered: (kind) => populators.byIndex(index, sourceKindKey(kind)).length > 0,
    claimsAwaiting: (kind) => claims.byIndex(index, sourceKindKey(kind)),
  };
}

const keysOf = (kind: SourceKind | undefined) => (kind ? [sourceKindKey(kind)] : []);
