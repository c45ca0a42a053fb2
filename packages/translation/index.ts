export type { CsiVolume } from "./plugins/in-tree-plugin.ts";
export { inTreeNameOf, isInTree, translatedFields } from "./plugins.ts";
export { translateClass } from "./translate-class.ts";
export { repairHandle, translateVolume, volumeToInTree } from "./translate-volume.ts";
export { type VolumeSource, volumeModes, volumeSource } from "./volume-source.ts";
