import type { InTreePlugin } from "./in-tree-plugin.ts";

export const azureDisk: InTreePlugin = {
  driver: "disk.csi.azure.com",
  translate({ spec }) {
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
};
