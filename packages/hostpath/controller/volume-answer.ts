import type { Backend } from "../backend.ts";
import type { VolumeRecord } from "../state/records.ts";
import { volumeTopology } from "../topology.ts";
import { contentSourceOf } from "./content-source.ts";

/** A volume as CreateVolume, ListVolumes and ControllerGetVolume answer it. */
export function volumeAnswer({ settings }: Backend, volume: VolumeRecord) {
  return {
    volumeId: volume.id,
    capacityBytes: volume.size,
    volumeContext: volume.volumeContext,
    contentSource: contentSourceOf(volume),
    accessibleTopology: volumeTopology(settings, volume),
  };
}
