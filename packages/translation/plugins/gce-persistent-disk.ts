import type { Result } from "@csi-sidecars/base";
import { fsTypeParameter, type InTreePlugin, oldZoneLabel, partitionOf, splitZones, zoneLabel } from "./in-tree-plugin.ts";

const unspecified = "UNSPECIFIED";

export const gcePersistentDisk: InTreePlugin = {
  driver: "pd.csi.storage.gke.io",
  name: "kubernetes.io/gce-pd",
  zoning: { zoneKey: "topology.gke.io/zone", regionOf: (zone) => regionOf([zone]).value },
  toCsi({ metadata, spec }) {
    const disk = spec?.gcePersistentDisk;
    if (!disk) return undefined;
    const place = placeOf(metadata.labels?.[oldZoneLabel] ?? metadata.labels?.[zoneLabel] ?? "");
    if (place.error !== undefined) return place;
    return {
      value: {
        csi: {
          volumeHandle: handleOf(unspecified, place.value, disk.pdName),
          readOnly: disk.readOnly,
          fsType: disk.fsType,
          volumeAttributes: { partition: disk.partition ? String(disk.partition) : "" },
        },
        accessModes: spec.accessModes && accessModesOf(spec.accessModes),
      },
    };
  },
  toInTree({ volumeHandle, fsType, readOnly, volumeAttributes }) {
    const [, , , , , pdName] = volumeHandle.split("/");
    if (pdName === undefined) return { error: `could not get PD name from volume handle ${volumeHandle}` };
    const partition = partitionOf(volumeAttributes);
    if (partition.error !== undefined) return partition;
    return { value: { spec: { gcePersistentDisk: { pdName, fsType, readOnly, ...partition.value } } } };
  },
  parameters: (parameters) => splitZones(parameters, { fstype: fsTypeParameter }),
  repairHandle(handle, nodeId) {
    const [, project, scope, location = "", , disk = ""] = handle.split("/");
    const elements = handle.split("/").length;
    if (elements < 6) return { error: `volume handle has wrong number of elements; got ${elements}, wanted 6 or more` };
    if (project !== unspecified) return { value: handle };
    const [, nodeProject = "", , nodeZone = ""] = nodeId.split("/");
    const nodeElements = nodeId.split("/").length;
    if (nodeElements < 6) return { error: `node handle has wrong number of elements; got ${nodeElements}, wanted 6 or more` };
    if (scope === "zones") return { value: handleOf(nodeProject, `zones/${location === unspecified ? nodeZone : location}`, disk) };
    if (scope !== "regions") return { error: `expected volume handle to have zones or regions regionality value, got: ${scope}` };
    if (location !== unspecified) return { value: handleOf(nodeProject, `regions/${location}`, disk) };
    const region = regionOf([nodeZone]);
    return region.error === undefined ? { value: handleOf(nodeProject, `regions/${region.value}`, disk) } : region;
  },
};

function handleOf(project: string, place: string, disk: string): string {
  return `projects/${project}/${place}/disks/${disk}`;
}

/** A disk is in one zone, or, with several zones in its label, in their region. */
function placeOf(label: string): Result<string> {
  const zones = label.split("__").filter((zone) => zone !== "");
  if (zones.length <= 1) return { value: `zones/${zones[0] ?? unspecified}` };
  const region = regionOf(zones);
  return region.error === undefined ? { value: `regions/${region.value}` } : { error: `failed to get region from zones: ${region.error}` };
}

/** `europe-west1` of `europe-west1-b` and `europe-west1-c`. */
function regionOf(zones: readonly string[]): Result<string> {
  const strange = zones.find((zone) => zone.split("-").length !== 3);
  if (strange !== undefined) return { error: `zone in unexpected format, expected: {locale}-{region}-{zone}, got: ${strange}` };
  const [region = "", ...others] = new Set(zones.map((zone) => zone.split("-").slice(0, 2).join("-")));
  if (others.length > 0) return { error: `multiple or no regions gotten from zones, got: ${[region, ...others].join(" ")}` };
  return { value: region };
}

/** A disk is written from one node, or read from many. */
function accessModesOf(modes: readonly string[]): readonly string[] {
  if (modes.length === 0) return [];
  return modes.every((mode) => mode === "ReadOnlyMany") ? ["ReadOnlyMany"] : ["ReadWriteOnce"];
}
