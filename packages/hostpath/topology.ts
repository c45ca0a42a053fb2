import { ownValue } from "@csi-sidecars/base";
import type { Topology, TopologyRequirement } from "@csi-sidecars/csi";
import { refuse } from "./refuse.ts";
import { type Settings, topologyKey, zoneKey } from "./settings.ts";
import type { SnapshotRecord, VolumeRecord } from "./state/records.ts";

/** The topology of this node: its zone if zones are configured, else the node itself. */
export const ownTopology = ({ nodeId, zones }: Pick<Settings, "nodeId" | "zones">) => inZone(ownValue(zones, nodeId) ?? "", nodeId);

/** The accessible topology of a volume; empty if topology is disabled. */
export const volumeTopology = ({ nodeId, topology }: Settings, volume: VolumeRecord) =>
  !topology || isEverywhere(volume) ? [] : [inZone(volume.zone, nodeId)];

/** Whether a volume was created with the parameter `noTopology`: it is reported as accessible everywhere. */
export const isEverywhere = ({ parameters }: VolumeRecord) => parameters.noTopology === "true";

/** Where volumes can be created from a snapshot: wherever this driver creates any. Empty if topology of snapshots is disabled. */
export function snapshotTopology(settings: Settings, { everywhere }: SnapshotRecord) {
  if (!settings.topology || !settings.snapshotTopology || everywhere) return [];
  return servedPlaces(settings);
}

/** All topologies in which this driver creates volumes. */
function servedPlaces(settings: Settings): Topology[] {
  const zones = new Set(Object.values(settings.zones));
  return zones.size > 0 ? [...zones].map((zone) => inZone(zone, settings.nodeId)) : [ownTopology(settings)];
}

const inZone = (zone: string, nodeId: string): Topology => ({ segments: zone ? { [zoneKey]: zone } : { [topologyKey]: nodeId } });

/** The zone of a new volume, empty without zones; refuses requirements that this driver cannot meet. */
export function chooseZone(settings: Settings, requirement: TopologyRequirement | undefined): string {
  const { nodeId, topology, zones } = settings;
  const own = topology ? (ownValue(zones, nodeId) ?? "") : "";
  if (!topology || !requirement || requirement.requisite.length === 0) return own;
  const { preferred, requisite } = requirement;
  if (!own) {
    if (requisite.some(({ segments }) => segments[topologyKey] === nodeId)) return "";
    return refuse("ResourceExhausted", `volumes of this driver are only accessible on ${topologyKey}=${nodeId}`);
  }
  const known = Object.values(zones);
  const chosen = [...preferred, ...requisite].map(({ segments }) => segments[zoneKey]).find((zone) => zone && known.includes(zone));
  return (
    chosen ?? refuse("ResourceExhausted", `volumes of this driver are only accessible in ${zoneKey}=${[...new Set(known)].join(", ")}`)
  );
}

/** Whether an existing volume meets the requirement of a repeated request. */
export function isWithin(settings: Settings, volume: VolumeRecord, requirement: TopologyRequirement | undefined): boolean {
  const places = volumeTopology(settings, volume);
  if (places.length === 0 || !requirement || requirement.requisite.length === 0) return true;
  return requirement.requisite.some((wanted) => places.some((place) => agree(place, wanted)));
}

/** Whether volumes can be created in a topology; in any if topology is disabled. */
export function isServed(settings: Settings, place: Topology | undefined): boolean {
  if (!settings.topology || !place) return true;
  return servedPlaces(settings).some((served) => agree(served, place));
}

/** Whether no segment of a topology contradicts ours; unknown keys are ignored. */
const agree = (ours: Topology, theirs: Topology) =>
  Object.entries(ours.segments).every(([key, value]) => (ownValue(theirs.segments, key) ?? value) === value);

/** Refuses to attach a volume to a node of another zone. */
export function checkZone({ zones }: Settings, { id, zone }: VolumeRecord, nodeId: string): void {
  if (!zone || ownValue(zones, nodeId) === zone) return;
  refuse("FailedPrecondition", `volume ${id} is in zone ${zone}, node ${nodeId} in ${ownValue(zones, nodeId) ?? "none"}`);
}
