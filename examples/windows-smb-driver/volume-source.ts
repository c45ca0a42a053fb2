import type { NodeStageVolumeRequest, VolumeCapability } from "@csi-sidecars/csi";
import { refuse, requireFields } from "./call-status.ts";

/** A share, or a folder of one, and who may use it. */
export interface VolumeSource {
  /** `\\server\share\folder` */
  readonly remotePath: string;
  readonly username: string;
  readonly password: string;
}

/** Where a volume is: `source` of its attributes, with the credential in the secret of NodeStageVolume. */
export function volumeSource({ volumeContext, secrets }: Pick<NodeStageVolumeRequest, "volumeContext" | "secrets">): VolumeSource {
  const { source = "" } = volumeContext;
  const remotePath = source.replaceAll("/", "\\");
  if (!/^\\\\[^\\]/.test(remotePath) || remotePath.split("\\").includes("..")) {
    refuse("InvalidArgument", `the volume attribute source=${JSON.stringify(source)} is no share: use \\\\server\\share\\folder`);
  }
  const { username = "", password = "", domain = "" } = secrets;
  return { remotePath, username: domain && username ? `${domain}\\${username}` : username, password };
}

/** Refuses volumes that a share cannot be. */
export function checkCapability(capability: VolumeCapability | undefined): void {
  requireFields({ volume_capability: capability });
  if (capability?.accessType?.$case === "block") refuse("InvalidArgument", "volume_capability: a share is no block device");
}
