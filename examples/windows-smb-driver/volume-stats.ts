import { win32 } from "node:path";
import { type NodeGetVolumeStatsRequest, VolumeUsage_Unit as Unit } from "@csi-sidecars/csi";
import { refuse, requireFields } from "./call-status.ts";
import type { SmbDriver } from "./driver.ts";
import { windowsPath } from "./host-files.ts";

/** NodeGetVolumeStats: the space of the share, as its file server tells it. Windows does not count files. */
export async function volumeStats({ proxy, files }: SmbDriver, request: NodeGetVolumeStatsRequest, limits: { signal: AbortSignal }) {
  requireFields({ volume_id: request.volumeId });
  const path = windowsPath("volume_path", request.volumePath);
  const exists = win32.isAbsolute(path) && (await proxy.filesystem.pathExists({ path }, limits)).exists;
  if (!exists) refuse("NotFound", `path ${path} of volume ${request.volumeId} does not exist`);
  return { usage: [{ unit: Unit.BYTES, ...(await files.usage(path)) }] };
}
