import { VolumeCapability_AccessMode_Mode as Mode } from "@csi-sidecars/csi";
import type { Settings } from "../driver-options.ts";
import type { Behaviour } from "../methods.ts";
import { existing, refuse, type Storage } from "./storage.ts";

const severalNodes: ReadonlySet<number> = new Set([
  Mode.MULTI_NODE_READER_ONLY,
  Mode.MULTI_NODE_SINGLE_WRITER,
  Mode.MULTI_NODE_MULTI_WRITER,
]);

/** ControllerPublishVolume and ControllerUnpublishVolume. */
export function publications(storage: Storage, settings: Settings) {
  return {
    ControllerPublishVolume({ volumeId, nodeId, volumeCapability, readonly }) {
      const volume = existing(storage, volumeId);
      if (nodeId === "") refuse("InvalidArgument", "node_id is missing");
      if (!volumeCapability) refuse("InvalidArgument", "volume_capability is missing");
      if (settings.nodes && !settings.nodes.includes(nodeId)) refuse("NotFound", `node ${nodeId} does not exist`);
      const accessMode = volumeCapability.accessMode?.mode ?? Mode.UNKNOWN;
      const here = volume.published.get(nodeId);
      if (here && here.readonly !== readonly)
        refuse("AlreadyExists", `volume ${volumeId} is published to ${nodeId} with readonly=${here.readonly}`);
      const elsewhere = [...volume.published.keys()].filter((node) => node !== nodeId);
      if (elsewhere.length > 0 && !severalNodes.has(accessMode))
        refuse("FailedPrecondition", `volume ${volumeId} is published to ${elsewhere.join(", ")}`);
      volume.published.set(nodeId, { readonly, accessMode });
      return { publishContext: { device: `/dev/disk/by-id/${volumeId}` } };
    },
    ControllerUnpublishVolume({ volumeId, nodeId }) {
      if (volumeId === "") refuse("InvalidArgument", "volume_id is missing");
      const published = storage.volumes.get(volumeId)?.published;
      if (nodeId === "") published?.clear();
      else published?.delete(nodeId);
      return {};
    },
  } satisfies Partial<Behaviour>;
}
