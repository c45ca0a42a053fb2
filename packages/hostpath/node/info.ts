import type { Backend } from "../backend.ts";
import { ownTopology } from "../topology.ts";

/** NodeGetInfo. */
export function nodeGetInfo({ settings, random }: Backend) {
  const { nodeId, attachLimit, maxVolumesPerNode, topology } = settings;
  const changing = BigInt(1 + Math.floor(random() * 10));
  const limit = attachLimit === 0n ? maxVolumesPerNode : attachLimit < 0n ? changing : attachLimit;
  return { nodeId, maxVolumesPerNode: limit, accessibleTopology: topology ? ownTopology(settings) : undefined };
}
