import { VolumeCapability_AccessMode_Mode as Mode } from "@csi-sidecars/csi";
import type { World } from "./driver-world.ts";

const mode = (name: keyof typeof Mode) => ({ accessMode: { mode: Mode[name] } });

/** A capability of a file system volume. */
export const mount = (accessMode: keyof typeof Mode = "SINGLE_NODE_WRITER") => ({
  accessType: { $case: "mount" as const, mount: {} },
  ...mode(accessMode),
});

/** A capability of a block volume. */
export const block = (accessMode: keyof typeof Mode = "SINGLE_NODE_WRITER") => ({
  accessType: { $case: "block" as const, block: {} },
  ...mode(accessMode),
});

/** Sizes in bytes. */
export const MiB = 1024n * 1024n;
export const GiB = 1024n * MiB;

/** A request for a volume of 1 GiB. */
export const named = (name: string) => ({
  name,
  volumeCapabilities: [mount()],
  capacityRange: { requiredBytes: GiB },
});

/** Asks for a volume with the content of a snapshot. */
export const fromSnapshot = (snapshotId: string) => ({
  volumeContentSource: { type: { $case: "snapshot" as const, snapshot: { snapshotId } } },
});

/** Asks for a volume with the content of another. */
export const fromVolume = (volumeId: string) => ({
  volumeContentSource: { type: { $case: "volume" as const, volume: { volumeId } } },
});

/** Creates a volume and gives its id. */
export async function create({ client }: World, request: Parameters<World["client"]["controller"]["createVolume"]>[0]): Promise<string> {
  return (await client.controller.createVolume(request)).volume?.volumeId ?? "";
}

/** Creates a snapshot and gives its id. */
export async function snap({ client }: World, name: string, sourceVolumeId: string): Promise<string> {
  return (await client.controller.createSnapshot({ name, sourceVolumeId })).snapshot?.snapshotId ?? "";
}

/** Stages and publishes a volume at `target` of the world's folder. */
export async function publish(
  world: World,
  volumeId: string,
  target = "target",
  volumeCapability: ReturnType<typeof mount | typeof block> = mount(),
): Promise<string> {
  const stagingTargetPath = world.path("stage");
  const targetPath = world.path(target);
  await world.client.node.nodeStageVolume({ volumeId, stagingTargetPath, volumeCapability });
  await world.client.node.nodePublishVolume({ volumeId, stagingTargetPath, targetPath, volumeCapability });
  return targetPath;
}
