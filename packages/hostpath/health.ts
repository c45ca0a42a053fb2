import type { VolumeHealthErrorType } from "@csi-sidecars/csi";
import type { Backend } from "./backend.ts";
import type { Space } from "./data/data.ts";
import type { VolumeRecord } from "./state/records.ts";

/** Whether a volume is well, and what is wrong with it: what CSI tells of it up to 1.12. */
export interface Condition {
  readonly abnormal: boolean;
  readonly message: string;
}

/** What a health check finds: how bad it is, and in a word and a sentence why. CSI 1.13 tells all of it. */
export interface Finding extends Condition {
  readonly status: keyof typeof VolumeHealthErrorType;
  readonly reason: string;
}

const normal: Finding = { abnormal: false, message: "", status: "UNKNOWN_VOLUME_HEALTH_TYPE", reason: "" };
const abnormal = (status: Finding["status"], reason: string, message: string): Finding => ({ abnormal: true, status, reason, message });

/** What the controller services tell; `space` is that of the place of all volumes. */
export function checkAsController({ scripted, data }: Backend, volume: VolumeRecord, space: Space | undefined): Finding {
  const told = scripted.conditions.get(volume.id);
  if (told) return asTold(told);
  if (!data.exists(volume)) return abnormal("DATA_LOSS", "SourceMissing", "The source path of the volume doesn't exist");
  if (space && space.total < volume.size)
    return abnormal("DEGRADED", "StorageTooSmall", "The capacity of volume is greater than actual storage");
  if (space?.available === 0n) return abnormal("DEGRADED", "StorageFull", "The free space of the volume is insufficient");
  return normal;
}

/** What the node service tells. */
export async function checkOnNode({ scripted, mounter }: Backend, volume: VolumeRecord): Promise<Finding> {
  const told = scripted.conditions.get(volume.id);
  if (told) return asTold(told);
  for (const { target } of volume.published) if (await mounter.isPublished(volume, target)) return normal;
  return abnormal("INACCESSIBLE", "NotMounted", "The volume isn't mounted");
}

/** The part of a finding that is a condition. */
export const conditionOf = ({ abnormal, message }: Finding): Condition => ({ abnormal, message });

const asTold = (told: Condition): Finding =>
  told.abnormal ? abnormal("DEGRADED", "Scripted", told.message) : { ...normal, message: told.message };
