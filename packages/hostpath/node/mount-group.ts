import { chmod, chown, stat } from "node:fs/promises";
import type { VolumeCapability } from "@csi-sidecars/csi";
import type { Backend } from "../backend.ts";
import { refuse } from "../refuse.ts";
import type { VolumeRecord } from "../state/records.ts";

/** Gives a volume to the group that a pod wants its files to belong to (VOLUME_MOUNT_GROUP). */
export async function applyMountGroup(backend: Backend, { path }: VolumeRecord, capability: VolumeCapability | undefined): Promise<void> {
  const mount = capability?.accessType?.$case === "mount" ? capability.accessType.mount : undefined;
  if (!backend.settings.volumeMountGroup || !mount?.volumeMountGroup || backend.mounter.mode !== "bind") return;
  const group = Number(mount.volumeMountGroup);
  if (!/^\d{1,9}$/.test(mount.volumeMountGroup)) refuse("InvalidArgument", `volume_mount_group ${mount.volumeMountGroup} is no group id`);
  await chown(path, (await stat(path)).uid, group);
  await chmod(path, 0o2777);
}
