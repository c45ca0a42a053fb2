import { fsTypeParameter, type InTreePlugin, renameParameters } from "./in-tree-plugin.ts";

export const cinder: InTreePlugin = {
  driver: "cinder.csi.openstack.org",
  name: "kubernetes.io/cinder",
  zoning: { zoneKey: "topology.cinder.csi.openstack.org/zone" },
  toCsi({ spec }) {
    const disk = spec?.cinder;
    if (!disk) return undefined;
    return { value: { csi: { volumeHandle: disk.volumeID, readOnly: disk.readOnly, fsType: disk.fsType, volumeAttributes: {} } } };
  },
  toInTree: ({ volumeHandle: volumeID, fsType, readOnly }) => ({ value: { spec: { cinder: { volumeID, fsType, readOnly } } } }),
  parameters: (parameters) => ({ parameters: renameParameters(parameters, { fstype: fsTypeParameter }) }),
};
