import type { Claim, Volume } from "../fields.ts";

/** Whether the volume is bound to the claim or reserved for it: a reservation may leave out the uid. */
export function isBoundTo({ spec }: Volume, { metadata }: Claim): boolean {
  const ref = spec?.claimRef;
  return ref?.name === metadata.name && ref?.namespace === metadata.namespace && (!ref?.uid || ref.uid === metadata.uid);
}

/** Whether the claim wants another kind of volume, raw device or file system, than this one is. */
export function volumeModesDiffer(claim: Claim, volume: Volume): boolean {
  return (claim.spec?.volumeMode ?? "Filesystem") !== (volume.spec?.volumeMode ?? "Filesystem");
}

/** Whether the volume can do everything the claim asks for. */
export function hasAccessModes(volume: Volume, claim: Claim): boolean {
  const modes = volume.spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).every((mode) => modes.includes(mode));
}
