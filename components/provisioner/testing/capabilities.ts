import { presets } from "@csi-sidecars/testcluster";

/** A driver whose volumes cannot be reached from everywhere, and which tells how much room it has where. */
export const placing = {
  ...presets.minimal,
  plugin: ["CONTROLLER_SERVICE", "VOLUME_ACCESSIBILITY_CONSTRAINTS"],
  controller: ["CREATE_DELETE_VOLUME", "GET_CAPACITY"],
} as const;
