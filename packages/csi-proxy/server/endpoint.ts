import { join } from "node:path";
import type { ListenAddress } from "@csi-sidecars/csi";
import type { GroupVersion } from "./api-groups.ts";

/** The named pipe of a group and version, by which drivers find it and which their manifests mount. */
export function pipePath({ group, version }: GroupVersion): string {
  return `\\\\.\\pipe\\csi-proxy-${group}-${version}`;
}

/** Where a group and version is served: on its named pipe, or on a unix socket in a folder that only its owner can connect to. */
export function endpointOf(groupVersion: GroupVersion, endpointDir: string): ListenAddress {
  if (endpointDir === "") return { path: pipePath(groupVersion) };
  return { path: join(endpointDir, `csi-proxy-${groupVersion.group}-${groupVersion.version}.sock`), mode: 0o600 };
}
