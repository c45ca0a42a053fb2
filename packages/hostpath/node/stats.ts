import { stat, statfs } from "node:fs/promises";
import { type NodeGetVolumeStatsRequest, VolumeUsage_Unit as Unit } from "@csi-sidecars/csi";
import { type Backend, volumeById } from "../backend.ts";
import { checkOnNode, conditionOf } from "../health.ts";
import { refuse, required } from "../refuse.ts";

/** NodeGetVolumeStats: how full the file system of a volume is, and whether the volume is well. */
export async function nodeGetVolumeStats(backend: Backend, { volumeId, volumePath }: NodeGetVolumeStatsRequest) {
  required({ volume_id: volumeId, volume_path: volumePath });
  const volume = volumeById(backend, volumeId);
  if (!(await stat(volumePath).catch(() => undefined))) refuse("NotFound", `path ${volumePath} of volume ${volumeId} does not exist`);
  const volumeCondition = conditionOf(await checkOnNode(backend, volume));
  if (volume.accessType === "block") return { usage: [{ unit: Unit.BYTES, total: volume.size }], volumeCondition };
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(volumePath, { bigint: true });
  const bytes = { unit: Unit.BYTES, total: blocks * bsize, used: (blocks - bfree) * bsize, available: bavail * bsize };
  const inodes = { unit: Unit.INODES, total: files, used: files - ffree, available: ffree };
  return { usage: [bytes, inodes], volumeCondition };
}
