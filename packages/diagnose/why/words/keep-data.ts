import type { V1PersistentVolume } from "@csi-sidecars/kube";

/** That the data of a volume go with its claim, and how to keep them; nothing where they are kept anyway. */
export function dataLossWarning(volume: V1PersistentVolume | undefined): string | undefined {
  const { metadata, spec } = volume ?? {};
  if (spec?.persistentVolumeReclaimPolicy !== "Delete") return undefined;
  const retain = `kubectl patch pv ${metadata?.name} -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`;
  return `its data are deleted with the claim (reclaim policy Delete): to keep them in the storage, first ${retain}`;
}

/** What to know before the object of a bound volume, which is being deleted, is let go. */
export function deletedVolumeRemedy(volume: V1PersistentVolume | undefined): string {
  const data = dataLossWarning(volume) ?? "its data stay in the storage, and a new PersistentVolume can name them";
  return `the deletion of the object cannot be undone; ${data}`;
}
