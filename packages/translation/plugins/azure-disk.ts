import { type InTreePlugin, splitZones } from "./in-tree-plugin.ts";

const cachingModes = ["None", "ReadOnly", "ReadWrite"] as const;

export const azureDisk: InTreePlugin = {
  driver: "disk.csi.azure.com",
  name: "kubernetes.io/azure-disk",
  zoning: {
    zoneKey: "topology.disk.csi.azure.com/zone",
    keepsKeys: true,
    // The plugin numbered the fault domains of places without zones; to the driver such a place has no zone.
    zoneOf: (zone) => (/^\d+$/.test(zone) ? "" : zone),
  },
  toCsi({ spec }) {
    const disk = spec?.azureDisk;
    if (!disk) return undefined;
    if (disk.kind && disk.kind.toLowerCase() !== "managed") return { error: `kind(${disk.kind}) is not supported in csi migration` };
    const volumeAttributes = {
      kind: "Managed",
      ...(disk.cachingMode && { cachingmode: disk.cachingMode }),
      ...(disk.fsType && { fstype: disk.fsType }),
    };
    return { value: { csi: { volumeHandle: disk.diskURI, readOnly: disk.readOnly, fsType: disk.fsType, volumeAttributes } } };
  },
  toInTree({ volumeHandle, fsType, readOnly = false, volumeAttributes = {} }) {
    const diskName = diskNameOf(volumeHandle);
    if (diskName === undefined)
      return { error: `could not get disk name from ${volumeHandle}, correct format: .*/subscriptions/.../disks/(.+)` };
    const attributes = Object.fromEntries(Object.entries(volumeAttributes).map(([key, value]) => [key.toLowerCase(), value]));
    const { cachingmode, fstype = fsType } = attributes;
    const cachingMode = cachingModes.find((mode) => mode.toLowerCase() === cachingmode?.toLowerCase());
    const disk = { diskName, diskURI: volumeHandle, kind: "Managed" as const, readOnly };
    return { value: { spec: { azureDisk: { ...disk, ...(fstype && { fsType: fstype }), ...(cachingMode && { cachingMode }) } } } };
  },
  parameters: (parameters) => splitZones(parameters, {}),
};

/** What follows the last `disks/` of a managed disk's id, or the last `vhds/` of a blob's URL. */
function diskNameOf(handle: string): string | undefined {
  const path = /^https?:/i.test(handle) ? /^.*\/vhds\/(.+)$/is : /^.*\/providers\/Microsoft\.Compute\/disks\/(.+)$/is;
  return path.exec(handle)?.[1];
}
