import { PersistentVolumeClaim, VolumeSnapshot } from "@csi-sidecars/kube";
import type { Claim } from "./fields.ts";
import { type SourceKind, sourceKindOf } from "./source-kind.ts";

/** What was found about a claim: the values that upstream counts. */
export type Verdict = "empty" | "pvc" | "snapshot" | "populator" | "invalid";

/** What a claim alone tells: a verdict, the kind that a populator has to serve, or that there is nothing to validate. */
export type FirstLook =
  | { readonly is: "judged"; readonly verdict: "empty" | "pvc" | "snapshot" }
  | { readonly is: "waiting"; readonly kind: SourceKind }
  | { readonly is: "skipped" };

/**
 * Looks at a claim. Its data source never changes, and matters until the claim is bound; then it is skipped, as it is once it is being
 * deleted. The old field `dataSource`, and the name and namespace of the source, play no role.
 */
export function firstLook(claim: Claim): FirstLook {
  if (!isPending(claim)) return { is: "skipped" };
  const kind = sourceKindOf(claim);
  if (!kind) return { is: "judged", verdict: "empty" };
  if (isKind(kind, PersistentVolumeClaim)) return { is: "judged", verdict: "pvc" };
  if (isKind(kind, VolumeSnapshot)) return { is: "judged", verdict: "snapshot" };
  return { is: "waiting", kind };
}

/** The kind whose populator an unbound claim waits for. */
export function awaitedKind(claim: Claim): SourceKind | undefined {
  const look = firstLook(claim);
  return look.is === "waiting" ? look.kind : undefined;
}

function isPending({ metadata, status }: Claim): boolean {
  return metadata.deletionTimestamp === undefined && (status?.phase ?? "Pending") === "Pending";
}

function isKind({ group, kind }: SourceKind, resource: SourceKind): boolean {
  return group === resource.group && kind === resource.kind;
}
