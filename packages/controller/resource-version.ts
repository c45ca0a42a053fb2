import type { Cached } from "@csi-sidecars/kube";

/** Whether a resource version comes after another one of the same kind: they are decimal numbers that grow. */
export function isLaterVersion(version: string, other: string): boolean {
  return version.length === other.length ? version > other : version.length > other.length;
}

/** Whether `a` is a later state of the very object `b`: one of the same name with another uid is another object. */
export function isNewer(a: Cached, b: Cached): boolean {
  return a.metadata.uid === b.metadata.uid && isLaterVersion(a.metadata.resourceVersion, b.metadata.resourceVersion);
}
