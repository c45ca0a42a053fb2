import { VolumeUsage_Unit as Unit } from "@csi-sidecars/csi";
import type { Settings } from "../driver-options.ts";
import type { Behaviour } from "../methods.ts";
import { existing, refuse, type Storage } from "./storage.ts";
import { conditionOf } from "./volumes.ts";

/** The node that the driver runs on. */
export function node(storage: Storage, settings: Settings) {
  return {
    NodeGetInfo() {
      const { nodeId, maxVolumesPerNode, topology, capabilities } = settings;
      const segments = { ...topology };
      const constrained = capabilities.plugin.includes("VOLUME_ACCESSIBILITY_CONSTRAINTS");
      return { nodeId, maxVolumesPerNode, ...(constrained ? { accessibleTopology: { segments } } : {}) };
    },
    NodeStageVolume({ volumeId, stagingTargetPath }) {
      existing(storage, volumeId).staged.add(stagingTargetPath);
      return {};
    },
    NodeUnstageVolume({ volumeId, stagingTargetPath }) {
      storage.volumes.get(volumeId)?.staged.delete(stagingTargetPath);
      return {};
    },
    NodePublishVolume({ volumeId, targetPath, stagingTargetPath }) {
      const volume = existing(storage, volumeId);
      if (settings.capabilities.node.includes("STAGE_UNSTAGE_VOLUME") && !volume.staged.has(stagingTargetPath))
        refuse("FailedPrecondition", `volume ${volumeId} is not staged at ${JSON.stringify(stagingTargetPath)}`);
      volume.mounted.add(targetPath);
      return {};
    },
    NodeUnpublishVolume({ volumeId, targetPath }) {
      storage.volumes.get(volumeId)?.mounted.delete(targetPath);
      return {};
    },
    NodeGetVolumeStats({ volumeId, volumePath }) {
      const volume = existing(storage, volumeId);
      if (!volume.mounted.has(volumePath) && !volume.staged.has(volumePath))
        refuse("NotFound", `volume ${volumeId} is not at ${JSON.stringify(volumePath)}`);
      const total = volume.nodeBytes ?? volume.capacityBytes;
      const condition = settings.capabilities.node.includes("VOLUME_CONDITION") ? { volumeCondition: conditionOf(volume) } : {};
      return { usage: [{ unit: Unit.BYTES, total, used: 0n, available: total }], ...condition };
    },
    NodeExpandVolume({ volumeId, capacityRange }) {
      const volume = existing(storage, volumeId);
      volume.nodeBytes = capacityRange?.requiredBytes || volume.capacityBytes;
      return { capacityBytes: volume.nodeBytes };
    },
  } satisfies Partial<Behaviour>;
}
