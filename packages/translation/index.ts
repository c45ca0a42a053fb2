export type { CsiVolume } from "./in-tree-plugin.ts";
export { inTreeNameOf } from "./plugins.ts";
export { translatedFields } from "./read-fields.ts";
export { translateClass } from "./translate-class.ts";
export { isInTree, repairHandle, translateVolume } from "./translate-volume.ts";
export { volumeToInTree } from "./volume-to-in-tree.ts";
