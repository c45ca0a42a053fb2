import type { Result } from "@csi-sidecars/base";
import { requestedBytes } from "@csi-sidecars/controller";
import type { VolumeContentSource } from "@csi-sidecars/csi";
import type { V1PersistentVolume } from "@csi-sidecars/kube";
import type { Claim, Class } from "../fields.ts";
import { messages } from "../messages.ts";

/** The name of the volume to clone, or why the source claim cannot be cloned. `kept`: it is being deleted, and stays for this clone. */
export function clonedVolumeName(claim: Claim, source: Claim, kept = false): Result<string> {
  const { name } = source.metadata;
  if (source.status?.phase !== "Bound") {
    return { error: `the PVC DataSource ${name} must have a status of Bound.  Got ${source.status?.phase ?? ""}` };
  }
  if (source.metadata.deletionTimestamp && !kept) return { error: `the PVC DataSource ${name} is currently being deleted` };
  if (source.spec?.storageClassName === undefined) return { error: `the source PVC (${name}) storageclass cannot be empty` };
  if (claim.spec?.storageClassName === undefined)
    return { error: `the requested PVC (${claim.metadata.name}) storageclass cannot be empty` };
  const [wanted, least] = [requestedBytes(claim), requestedBytes(source)];
  if (wanted < least) {
    return {
      error: messages.smallerThanCloneSource(wanted, least),
    };
  }
  return source.spec.volumeName ? { value: source.spec.volumeName } : { error: `volume name is empty in source PVC ${name}` };
}

/** What to tell the driver to fill the volume with. `volume` is what the API server said about the source's volume, if it has it. */
export function cloneSource(
  claim: Claim,
  source: Claim,
  volume: V1PersistentVolume | undefined,
  { provisioner }: Pick<Class, "provisioner">,
): Result<VolumeContentSource> {
  const { csi, claimRef, volumeMode } = volume?.spec ?? {};
  const { uid, namespace, name } = source.metadata;
  const bound = claimRef?.uid === uid && claimRef?.namespace === namespace && claimRef?.name === name && volume?.status?.phase === "Bound";
  if (!csi || csi.driver !== provisioner || !bound) return { error: messages.cloneSourceUnusable() };
  const [before, after] = [volumeMode ?? "Filesystem", claim.spec?.volumeMode ?? "Filesystem"];
  if (before !== after) {
    return {
      error: messages.cloneModeDiffers(before, after),
    };
  }
  return { value: { type: { $case: "volume", volume: { volumeId: csi.volumeHandle } } } };
}
