import type { V1PersistentVolume } from "@csi-sidecars/kube";

/** Which volumes of the storage are compared: it may serve others too. */
export interface VolumeFilter {
  /** Only ids that begin with this, whole or after their last separator. */
  readonly prefix: string;
  /** Ids to leave out; `*` stands for any text. */
  readonly ignore: readonly string[];
}

/** Whether the volume of an id is compared. */
export function isSelected(id: string, filter: VolumeFilter): boolean {
  const { prefix } = filter;
  return (id.startsWith(prefix) || lastPart(id).startsWith(prefix)) && !isIgnored(id, filter);
}

/** Whether the volume or the snapshot of an id is to be left out. */
export function isIgnored(id: string, { ignore }: VolumeFilter): boolean {
  return ignore.some((pattern) => matches(pattern, id));
}

/** What follows the last separator in ids such as `projects/p/zones/z/disks/pvc-1` or `group#account#share`. */
export function lastPart(id: string): string {
  return id.slice(Math.max(id.lastIndexOf("/"), id.lastIndexOf("#"), id.lastIndexOf(":")) + 1);
}

function matches(pattern: string, id: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return id === pattern;
  let at = first.length;
  for (const part of rest) {
    const found = id.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return id.startsWith(first) && id.endsWith(last) && id.length - last.length >= at;
}

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
