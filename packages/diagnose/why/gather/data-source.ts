import {
  type KubeObject,
  PersistentVolumeClaim,
  type Resource,
  type V1PersistentVolumeClaim,
  VolumePopulator,
  VolumeSnapshot,
} from "@csi-sidecars/kube";
import { singleSnapshots } from "../snapshot-kinds.ts";
import type { GatherContext } from "./context.ts";
import type { ObservedDataSource } from "./observed.ts";
import { gatherSnapshot } from "./snapshot.ts";
import { isServed } from "./snapshot-content.ts";

/** What the data source of the claim is; `undefined` for an empty volume. */
export async function gatherSource(
  context: GatherContext,
  { spec, metadata }: V1PersistentVolumeClaim,
): Promise<ObservedDataSource | undefined> {
  const { cluster } = context;
  const source = spec?.dataSourceRef ?? spec?.dataSource;
  if (!source) return undefined;
  const { kind, name } = source;
  // The core group is `null` on the wire.
  const group = source.apiGroup ?? "";
  const namespace = spec?.dataSourceRef?.namespace ?? metadata?.namespace;
  const ref = { name, ...(namespace && { namespace }) };
  if (kind === "PersistentVolumeClaim" && group === "") return { kind, ref, claim: await cluster.get(PersistentVolumeClaim, ref) };
  if (kind === "VolumeSnapshot" && group === VolumeSnapshot.group) {
    const snapshot = await cluster.get(VolumeSnapshot, ref);
    const waits = snapshot.state === "found" && !snapshot.value.status?.readyToUse;
    const isKnown = snapshot.state !== "missing" || (await isServed(cluster, VolumeSnapshot as Resource<KubeObject>, ref));
    return { kind, ref, snapshot, isServed: isKnown, ...(waits && { observed: await gatherSnapshot(context, singleSnapshots, ref) }) };
  }
  const [populators, primes] = await Promise.all([
    cluster.list(VolumePopulator),
    cluster.list(PersistentVolumeClaim, { fieldSelector: `metadata.name=${primeOf(metadata)}` }),
  ]);
  return { kind: "other", named: `${kind} ${namespace}/${name}`, group, sourceKind: kind, populators, primes };
}

/** A populator that is built with Kubernetes' library fills the volume of a claim of its own, of this name, and then hands it over. */
const primeOf = (metadata: V1PersistentVolumeClaim["metadata"]) => `prime-${metadata?.uid}`;
