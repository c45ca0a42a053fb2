import type { TopologyRequirement } from "@csi-sidecars/csi";
import { refuse } from "./refuse.ts";
import { type Settings, topologyKey } from "./settings.ts";

/** Where volumes of this driver can be reached from: its own node. */
export const ownTopology = ({ nodeId }: Pick<Settings, "nodeId">) => ({ segments: { [topologyKey]: nodeId } });

/** Refuses to create a volume that must be reachable from elsewhere only. */
export function checkTopology(settings: Settings, requirement: TopologyRequirement | undefined): void {
  if (!settings.topology || !requirement || requirement.requisite.length === 0) return;
  if (requirement.requisite.some(({ segments }) => segments[topologyKey] === settings.nodeId)) return;
  refuse("ResourceExhausted", `volumes of this driver are only accessible on ${topologyKey}=${settings.nodeId}`);
}
