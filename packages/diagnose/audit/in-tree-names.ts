import type { V1PersistentVolume } from "@csi-sidecars/kube";
import { lastPart } from "./filter.ts";

/**
 * How a volume of an in-tree plugin that a driver took over may be called by the driver: it has a form of its own, of which the last
 * part is the same.
 */
export function inTreeNames(spec: V1PersistentVolume["spec"]): readonly string[] {
  const names = [
    spec?.awsElasticBlockStore?.volumeID,
    spec?.gcePersistentDisk?.pdName,
    spec?.azureDisk?.diskURI,
    spec?.cinder?.volumeID,
    spec?.vsphereVolume?.volumePath,
    spec?.portworxVolume?.volumeID,
  ];
  return names.flatMap((name) => (name === undefined ? [] : [lastPart(name)]));
}
