import { VolumeHealthErrorType as Status } from "@csi-sidecars/csi";
import type { Behaviour } from "../methods.ts";
import { page } from "./page.ts";
import { existing } from "./refuse.ts";
import type { Storage, StoredVolume } from "./storage.ts";

/** The health of volumes as CSI 1.13 tells it: what is abnormal cannot be reached. */
export function health(storage: Storage) {
  return {
    ControllerGetVolumeHealth({ volumeId }) {
      return { volumeHealth: healthOf(existing(storage, volumeId)) };
    },
    ControllerListVolumeHealth({ maxEntries, startingToken }) {
      const abnormal = [...storage.volumes.values()].filter((volume) => volume.abnormal !== undefined);
      const { entries, nextToken } = page(abnormal, maxEntries, startingToken);
      return { entries: entries.map(healthOf), nextToken };
    },
    NodeGetVolumeHealth({ volumeId }) {
      return { volumeHealth: healthOf(existing(storage, volumeId)) };
    },
    NodeGetStorageHealth() {
      return { backendHealth: [] };
    },
  } satisfies Partial<Behaviour>;
}

function healthOf({ id, abnormal }: StoredVolume) {
  const healthStatuses = abnormal === undefined ? [] : [{ status: Status.INACCESSIBLE, reason: "Abnormal", message: abnormal }];
  return { volumeId: id, healthStatuses };
}
