import type { InTreePlugin } from "./in-tree-plugin.ts";

export const vsphereVolume: InTreePlugin = {
  driver: "csi.vsphere.vmware.com",
  translate({ spec }) {
    const disk = spec?.vsphereVolume;
    if (!disk) return undefined;
    const volumeAttributes = { ...(disk.storagePolicyName && { storagepolicyname: disk.storagePolicyName }) };
    return { value: { csi: { volumeHandle: disk.volumePath, fsType: disk.fsType, volumeAttributes } } };
  },
};
