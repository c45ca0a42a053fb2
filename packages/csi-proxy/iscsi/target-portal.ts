import { CsiProxyError } from "../csi-proxy-error.ts";
import type { TargetPortal } from "./types.ts";

const defaultPort = 3260;
const largestPort = 65_535;

/** The portal of a request with the port that is used. Throws unless there is one. */
export function checkedPortal(portal: TargetPortal | undefined): TargetPortal {
  if (!portal) throw new CsiProxyError("InvalidArgument", "target portal is empty");
  const { targetAddress, targetPort } = portal;
  // Windows takes a missing address for any address.
  if (targetAddress === "") throw new CsiProxyError("InvalidArgument", "target portal address is empty");
  if (!Number.isInteger(targetPort) || targetPort < 0 || targetPort > largestPort)
    throw new CsiProxyError("InvalidArgument", `target portal port ${targetPort} is not between 0 and ${largestPort}`);
  return { targetAddress, targetPort: targetPort || defaultPort };
}

/** How a portal is named in errors and locks. */
export function portalName({ targetAddress, targetPort }: TargetPortal): string {
  return `${targetAddress}:${targetPort}`;
}
