import { type Result, trim } from "@csi-sidecars/base";
import { fsTypeParameter, type InTreePlugin, type Parameters, partitionOf, splitZones } from "./in-tree-plugin.ts";

export const awsElasticBlockStore: InTreePlugin = {
  driver: "ebs.csi.aws.com",
  name: "kubernetes.io/aws-ebs",
  zoning: { zoneKey: "topology.ebs.csi.aws.com/zone", regionOf },
  toCsi({ spec }) {
    const disk = spec?.awsElasticBlockStore;
    if (!disk) return undefined;
    const handle = handleOf(disk.volumeID);
    if (handle.error !== undefined) return handle;
    return {
      value: {
        csi: {
          volumeHandle: handle.value,
          readOnly: disk.readOnly,
          fsType: disk.fsType,
          volumeAttributes: { partition: String(disk.partition ?? 0) },
        },
      },
    };
  },
  toInTree({ volumeHandle: volumeID, fsType, readOnly, volumeAttributes }) {
    const partition = partitionOf(volumeAttributes);
    if (partition.error !== undefined) return partition;
    return { value: { spec: { awsElasticBlockStore: { volumeID, fsType, readOnly, ...partition.value } } } };
  },
  parameters(given) {
    const { parameters, zones } = splitZones(given, { fstype: fsTypeParameter });
    // The plugin raised IOPS that are too low for the size, whatever the spelling of the key.
    const perSize = Object.keys(parameters).some((key) => key.toLowerCase() === "iopspergb");
    const increase: Parameters = perSize ? { allowautoiopspergbincrease: "true" } : {};
    return { parameters: { ...parameters, ...increase }, ...(zones && { zones }) };
  },
};

/** `vol-1` of `aws://zone/vol-1`; anything without the scheme is taken as it is. */
function handleOf(volumeId: string): Result<string> {
  const path = /^aws:\/\/[^/]*(\/.*)?$/.exec(volumeId);
  if (!path) return { value: volumeId };
  const id = trim(path[1] ?? "", "/");
  if (/^vol-[^/]*$/.test(id)) return { value: id };
  return { error: `failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${volumeId})` };
}

/** `us-west-2` of `us-west-2a`, of the local zone `us-west-2-lax-1a` and of the wavelength zone `us-west-2-wl1-lax-wlz-1`. */
function regionOf(zone: string): string | undefined {
  const parts = zone.split("-");
  if (parts.length === 3 || parts.length === 4) return zone.slice(0, -1);
  return parts.length === 5 || parts.length === 7 ? parts.slice(0, 3).join("-") : undefined;
}
