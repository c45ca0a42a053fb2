import { wellKnownAnnotation as annotation } from "@csi-sidecars/kube";
import type { DriverInfo } from "./driver-capabilities.ts";
import type { Claim, Volume } from "./fields.ts";

/** Whether volume and claim are bound to each other. The claim's name does not count, as upstream has it: its uid does. */
export function isBoundTo({ spec }: Volume, { metadata: { namespace, uid } }: Claim): boolean {
  return spec?.claimRef?.namespace === namespace && spec?.claimRef?.uid === uid;
}

/** Whether the driver expands the volume: its own, or one of the in-tree plugin it replaced that the cluster hands to it. */
export function expands(driver: DriverInfo, volume: Volume, claim: Claim): boolean {
  if (driver.migrated && claim.metadata.annotations?.[annotation.storageResizer] === driver.name) return true;
  return isOwnVolume(driver, volume);
}

/** Whether it is a CSI volume of the driver. Only those can be modified. */
export function isOwnVolume({ name }: Pick<DriverInfo, "name">, { spec }: Volume): boolean {
  return spec?.csi?.driver === name;
}
