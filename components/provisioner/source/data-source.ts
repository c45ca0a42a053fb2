import type { Result } from "@csi-sidecars/base";
import type { VolumeContentSource } from "@csi-sidecars/csi";
import { keyOf, refKey, type V1VolumeSnapshot, VolumeSnapshot } from "@csi-sidecars/kube";
import type { Claim, Class, Grant } from "../fields.ts";
import { messages } from "../messages.ts";

/** The data source of a claim. */
export interface DataSource {
  readonly kind: string;
  readonly name: string;
  /** Empty for the core group, and where the claim has none. */
  readonly apiGroup: string;
  readonly namespace: string;
}

/** What the driver itself creates volumes from. Everything else is left to a populator. */
export type SourceKind = "snapshot" | "claim" | "populator";

/** The claim's source, in `dataSource` or `dataSourceRef`; `undefined` for an empty volume. */
export function dataSourceOf(claim: Claim, crossNamespace: boolean): Result<DataSource | undefined> {
  const own = claim.metadata.namespace ?? "";
  const { dataSource, dataSourceRef } = claim.spec ?? {};
  if (dataSource) return { value: { ...dataSource, apiGroup: dataSource.apiGroup ?? "", namespace: own } };
  if (!dataSourceRef) return { value: undefined };
  if (dataSourceRef.namespace && !crossNamespace) {
    return { error: messages.crossNamespaceDisabled() };
  }
  // The core group is `null` on the wire.
  const { kind, name, apiGroup, namespace } = dataSourceRef;
  return { value: { kind, name, apiGroup: apiGroup ?? "", namespace: namespace ?? own } };
}

/** Who creates volumes from the source, or what is wrong with it. */
export function sourceKindOf({ kind, name, apiGroup }: DataSource, claimName: string): Result<SourceKind> {
  if (name === "") return { error: `the PVC source not found for PVC ${claimName}` };
  if (kind === "PersistentVolumeClaim") return { value: "claim" };
  if (kind !== "VolumeSnapshot") return { value: "populator" };
  if (apiGroup === VolumeSnapshot.group) return { value: "snapshot" };
  return { error: `the PVC source does not belong to the right APIGroup. Expected ${VolumeSnapshot.group}, Got ${apiGroup}` };
}

/** Whether one of the grants, which are those of the source's namespace, lets claims of `claimNamespace` refer to the source. */
export function isGranted(grants: readonly Grant[], source: DataSource, claimNamespace: string): boolean {
  return grants.some(
    ({ spec }) =>
      spec?.from?.some(({ group, kind, namespace }) => group === "" && kind === "PersistentVolumeClaim" && namespace === claimNamespace) &&
      spec.to?.some(({ group, kind, name }) => kind === source.kind && group === source.apiGroup && (!name || name === source.name)),
  );
}

/** The message for a source in another namespace that no grant covers. */
export function notGranted(source: DataSource, claim: Claim): string {
  return messages.sourceNotGranted(refKey(source), source.kind, keyOf(claim));
}

/**
 * Whether the driver's response must name the content source. A claim that names its source only in `dataSourceRef`
 * without a namespace is not checked: API servers set `dataSource` for what drivers serve.
 */
export function mustEchoSource({ spec }: Claim, crossNamespace: boolean): boolean {
  return Boolean(spec?.dataSource || (crossNamespace && spec?.dataSourceRef?.namespace));
}

/** The key (`namespace/name`) of the snapshot or claim that a claim refers to: a source that must be kept for it. */
export function referredSource(claim: Claim, kind: "VolumeSnapshot" | "PersistentVolumeClaim"): string | undefined {
  const source = dataSourceOf(claim, true).value;
  if (source?.kind !== kind) return undefined;
  const group = kind === "VolumeSnapshot" ? VolumeSnapshot.group : "";
  return source.apiGroup === "" || source.apiGroup === group ? refKey(source) : undefined;
}

/** The same for a claim that is pending: later its volume does not need the source any more. */
export function pendingSource(claim: Claim, kind: "VolumeSnapshot" | "PersistentVolumeClaim"): string | undefined {
  return (claim.status?.phase ?? "Pending") === "Pending" ? referredSource(claim, kind) : undefined;
}

/** What the volume is created from, with what is needed to protect it. */
export type FoundSource =
  | { readonly kind: "snapshot"; readonly content: VolumeContentSource; readonly snapshot: V1VolumeSnapshot }
  | { readonly kind: "claim"; readonly content: VolumeContentSource; readonly claim: Claim };

export interface SourceOptions {
  readonly claim: Claim;
  /** Translated. */
  readonly class: Class;
  readonly source: DataSource;
}

/** A message with the source that it is about. */
export function withSource({ kind, name }: DataSource, cause: string): string {
  return `error getting handle for DataSource Type ${kind} by Name ${name}: ${cause}`;
}
