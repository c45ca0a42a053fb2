import { fsTypeParameter, type InTreePlugin, type Parameters, renameParameters } from "./in-tree-plugin.ts";

export const vsphereVolume: InTreePlugin = {
  driver: "csi.vsphere.vmware.com",
  name: "kubernetes.io/vsphere-volume",
  zoning: { zoneKey: "topology.csi.vmware.com/zone", regionKey: "topology.csi.vmware.com/region" },
  toCsi({ spec }) {
    const disk = spec?.vsphereVolume;
    if (!disk) return undefined;
    const volumeAttributes = { ...(disk.storagePolicyName && { storagepolicyname: disk.storagePolicyName }) };
    return { value: { csi: { volumeHandle: disk.volumePath, fsType: disk.fsType, volumeAttributes } } };
  },
  toInTree: ({ fsType, volumeAttributes }) => ({
    value: { spec: { vsphereVolume: { volumePath: volumeAttributes?.initialvolumefilepath ?? "", fsType } } },
  }),
  parameters(given) {
    const known = Object.entries(given).filter(([key]) => Object.hasOwn(names, key.toLowerCase()));
    return { parameters: { ...renameParameters(Object.fromEntries(known), names), csimigration: "true" } };
  },
};

const pluginOnly = [
  "datastore",
  "diskformat",
  "hostfailurestotolerate",
  "forceprovisioning",
  "cachereservation",
  "diskstripes",
  "objectspacereservation",
  "iopslimit",
];
const names: Parameters = {
  fstype: fsTypeParameter,
  storagepolicyname: "storagepolicyname",
  ...Object.fromEntries(pluginOnly.map((key) => [key, `${key}-migrationparam`])),
};
