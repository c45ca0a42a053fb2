import type { Backend } from "./backend.ts";
import type { Space } from "./data/data.ts";
import type { VolumeRecord } from "./state/records.ts";

/** Whether a volume is well, and what is wrong with it. */
export interface Condition {
  readonly abnormal: boolean;
  readonly message: string;
}

const normal: Condition = { abnormal: false, message: "" };
const abnormal = (message: string): Condition => ({ abnormal: true, message });

/** The condition that the controller services tell; `space` is that of the place of all volumes. */
export function controllerCondition({ scripted, data }: Backend, volume: VolumeRecord, space: Space | undefined): Condition {
  const told = scripted.conditions.get(volume.id);
  if (told) return told;
  if (!data.exists(volume)) return abnormal("The source path of the volume doesn't exist");
  if (space && space.total < volume.size) return abnormal("The capacity of volume is greater than actual storage");
  if (space?.available === 0n) return abnormal("The free space of the volume is insufficient");
  return normal;
}

/** The condition that NodeGetVolumeStats tells. */
export async function nodeCondition({ scripted, mounter }: Backend, volume: VolumeRecord): Promise<Condition> {
  const told = scripted.conditions.get(volume.id);
  if (told) return told;
  for (const { target } of volume.published) if (await mounter.isPublished(volume, target)) return normal;
  return abnormal("The volume isn't mounted");
}
