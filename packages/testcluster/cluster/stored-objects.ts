import { type ObjectRef, type Resource, refKey, refOf, resource } from "@csi-sidecars/kube";
import { builtInKinds } from "../kinds/built-in.ts";
import type { StoredKey } from "../real/etcd.ts";

/** An object of a kind that tests create, as etcd knows it. */
export interface StoredObject {
  readonly kind: Resource;
  readonly ref: ObjectRef;
  readonly key: string;
  /** One that was deleted and created again is another one. */
  readonly identity: string;
}

/** Where kube-apiserver keeps kinds elsewhere than under their own name. */
const otherFolders: Readonly<Record<string, string>> = {
  nodes: "minions",
  services: "services/specs",
  customresourcedefinitions: "apiextensions.k8s.io/customresourcedefinitions",
};

const builtInFolder = (plural: string) => `/registry/${otherFolders[plural] ?? plural}/`;

const folders = builtInKinds
  .filter(({ viewOf }) => !viewOf)
  .map((kind) => ({
    kind: resource(kind.group ? `${kind.group}/${kind.version}` : kind.version, kind.plural, kind.kind, { namespaced: kind.namespaced }),
    folder: builtInFolder(kind.plural),
  }));

/** The object under a key, if it is of a built-in kind. */
export function storedObject({ key, created }: StoredKey): StoredObject | undefined {
  const found = folders.find(({ folder }) => key.startsWith(folder));
  return found && { kind: found.kind, ref: refOf(key.slice(found.folder.length)), key, identity: `${key}@${created}` };
}

/** The key of an object of a built-in kind. */
export function storageKey(resource: Resource, ref: ObjectRef): string {
  return `${builtInFolder(resource.plural)}${refKey(ref)}`;
}

/** Where the objects of a custom kind are kept, by the name of its definition: `/registry/example.com/parcels/`. */
export function folderOf(definition: string): string {
  const [plural = "", ...group] = definition.split(".");
  return `/registry/${group.join(".")}/${plural}/`;
}
