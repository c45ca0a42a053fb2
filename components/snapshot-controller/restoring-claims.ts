import { type Key, refKey, type View, VolumeSnapshot } from "@csi-sidecars/kube";
import type { Claim } from "./fields.ts";

const index = "restored snapshot";

/** To be called once, before `isBeingRestored`. */
export function indexRestoringClaims(claims: Pick<View<Claim>, "addIndex">): void {
  claims.addIndex(index, snapshotsRestoredBy);
}

/** Whether a claim, of any namespace, is waiting to be provisioned from the snapshot. */
export function isBeingRestored(claims: Pick<View<Claim>, "byIndex">, snapshot: Key): boolean {
  return claims.byIndex(index, snapshot).length > 0;
}

/** The keys of the snapshots that a claim is waiting to be provisioned from. */
export function snapshotsRestoredBy({ metadata, spec, status }: Claim): readonly Key[] {
  if ((status?.phase ?? "Pending") !== "Pending") return [];
  const { dataSource, dataSourceRef } = spec ?? {};
  const keys = [
    ...(isSnapshot(dataSource) ? [refKey({ name: dataSource.name, namespace: metadata.namespace })] : []),
    ...(isSnapshot(dataSourceRef) ? [refKey({ name: dataSourceRef.name, namespace: dataSourceRef.namespace || metadata.namespace })] : []),
  ];
  return [...new Set(keys)];
}

function isSnapshot<S extends { readonly kind: string; readonly apiGroup?: string }>(source: S | undefined): source is S {
  return source?.kind === VolumeSnapshot.kind && source.apiGroup === VolumeSnapshot.group;
}
