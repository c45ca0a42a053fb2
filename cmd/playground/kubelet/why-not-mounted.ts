import { firstNode } from "../cluster/nodes.ts";
import type { Driver } from "../driver/driver.ts";

/** Why the volumes of pods on a node are not mounted; `undefined` where they are. */
export function whyNotMounted(
  { hostpath, info: { name, node } }: Pick<Driver, "hostpath" | "info">,
  controllerOnly: boolean,
  nodeName: string,
): string | undefined {
  if (hostpath) return undefined;
  if (controllerOnly) return `the node service of ${name} is not called, because of --controller-only`;
  if (!node) return `${name} has no node service: NodeGetInfo is unimplemented`;
  return nodeName === firstNode ? undefined : `the node service of ${name} works for ${firstNode} only, not for ${nodeName}`;
}
