import { bytesOf, canonicalQuantity } from "@csi-sidecars/base";
import { wellKnownAnnotation as annotation, type Patch, strategicMergePatch } from "@csi-sidecars/kube";
import type { Claim, Volume } from "../fields.ts";
import type { Expansion } from "./expand-call.ts";
import { capacityBytes, volumeBytes } from "./plan-resize.ts";

/**
 * The patch that gives a volume its new capacity; `undefined` if it has that already. `annotatesSize`: what the claim still has is
 * noted as long as the node has to expand the file system, once: it stays through further expansions.
 */
export function capacityPatch(
  volume: Volume,
  claim: Claim,
  { capacity, nodeExpansionRequired }: Expansion,
  { annotatesSize }: { readonly annotatesSize: boolean },
): Patch | undefined {
  const isNoted = volume.metadata.annotations?.[annotation.preResizeCapacity] !== undefined;
  const notes = annotatesSize && nodeExpansionRequired && !isNoted;
  if (!notes && bytesOf(volume.spec?.capacity?.storage) === bytesOf(capacity)) return undefined;
  const before = canonicalQuantity(claim.status?.capacity?.storage ?? "0");
  return patchOf(volume, notes ? { [annotation.preResizeCapacity]: before } : undefined, { capacity: { storage: capacity } });
}

/** The patch that removes the noted size of a file system once the claim has the volume's capacity; `undefined` before that. */
export function noteRemovalPatch(volume: Volume, claim: Claim): Patch | undefined {
  if (volume.metadata.annotations?.[annotation.preResizeCapacity] === undefined) return undefined;
  if (capacityBytes(claim) < volumeBytes(volume)) return undefined;
  return patchOf(volume, { [annotation.preResizeCapacity]: null });
}

/** With the volume's uid: another volume that has its name by now is left alone. */
function patchOf({ metadata: { uid } }: Volume, annotations: Readonly<Record<string, string | null>> | undefined, spec?: object): Patch {
  return strategicMergePatch({ metadata: { uid, ...(annotations && { annotations }) }, ...(spec && { spec }) });
}
