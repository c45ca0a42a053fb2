import { PersistentVolumeClaim, type V1PersistentVolumeClaim, VolumePopulator, VolumeSnapshot } from "@csi-sidecars/kube";
import type { SourceFacts } from "./facts.ts";
import type { GatherContext } from "./gather.ts";

/** What the claim is to be filled from; `undefined` for an empty volume. */
export async function gatherSource({ look }: GatherContext, { spec, metadata }: V1PersistentVolumeClaim): Promise<SourceFacts | undefined> {
  const source = spec?.dataSourceRef ?? spec?.dataSource;
  if (!source) return undefined;
  const { kind, name } = source;
  // The core group is `null` on the wire.
  const group = source.apiGroup ?? "";
  const namespace = spec?.dataSourceRef?.namespace ?? metadata?.namespace;
  const ref = { name, ...(namespace && { namespace }) };
  if (kind === "PersistentVolumeClaim" && group === "") return { kind, ref, claim: await look.get(PersistentVolumeClaim, ref) };
  if (kind === "VolumeSnapshot" && group === VolumeSnapshot.group) return { kind, ref, snapshot: await look.get(VolumeSnapshot, ref) };
  return { kind: "other", named: `${kind} ${namespace}/${name}`, group, sourceKind: kind, populators: await look.list(VolumePopulator) };
}
