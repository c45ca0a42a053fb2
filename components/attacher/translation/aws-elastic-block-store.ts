import type { Result } from "../result.ts";
import type { InTreePlugin } from "./in-tree-plugin.ts";

export const awsElasticBlockStore: InTreePlugin = {
  driver: "ebs.csi.aws.com",
  translate({ spec }) {
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
};

/** `vol-1` of `aws://zone/vol-1`; anything without the scheme is taken as it is. */
function handleOf(volumeId: string): Result<string> {
  const path = /^aws:\/\/[^/]*(\/.*)?$/.exec(volumeId);
  if (!path) return { value: volumeId };
  const id = (path[1] ?? "").replace(/^\/+|\/+$/g, "");
  if (/^vol-[^/]*$/.test(id)) return { value: id };
  return { error: `failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (${volumeId})` };
}
