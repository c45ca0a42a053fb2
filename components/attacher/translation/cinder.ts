import type { InTreePlugin } from "./in-tree-plugin.ts";

export const cinder: InTreePlugin = {
  driver: "cinder.csi.openstack.org",
  translate({ spec }) {
    const disk = spec?.cinder;
    if (!disk) return undefined;
    return { value: { csi: { volumeHandle: disk.volumeID, readOnly: disk.readOnly, fsType: disk.fsType, volumeAttributes: {} } } };
  },
};
