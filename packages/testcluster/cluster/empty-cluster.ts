import { ownValue } from "@csi-sidecars/base";
import { type Client, ignoreNotFound, mergePatch, type ObjectRef, type Resource, refKey, refOf, resource } from "@csi-sidecars/kube";
import { builtInKinds } from "../kinds/built-in.ts";
import type { Etcd, StoredKey } from "../real/etcd.ts";

type Storage = Pick<Etcd, "keys" | "delete">;

/** The objects of a real cluster, to tell those that are added later. */
export async function inventory(etcd: Storage): Promise<ReadonlySet<string>> {
  return new Set((await etcd.keys()).flatMap((key) => storedObject(key)?.identity ?? []));
}

/**
 * Deletes everything that is not in the inventory, whatever finalizers it has, and all objects of custom kinds. It reads and writes etcd
 * directly: a consistent list of kube-apiserver takes up to a tenth of a second, and no namespace controller runs.
 */
export async function emptyCluster(client: Client, etcd: Storage, keep: ReadonlySet<string>): Promise<void> {
  for (const end = performance.now() + 20_000; ; await Bun.sleep(5)) {
    const keys = await etcd.keys();
    const objects = keys.flatMap((key) => storedObject(key) ?? []);
    const found = objects.filter((object) => !keep.has(object.identity) && !isCreatedByServer(object));
    const customFolders = objects.filter(isDefinition).map(({ ref }) => folderOf(ref.name));
    const custom = keys.map(({ key }) => key).filter((key) => customFolders.some((folder) => key.startsWith(folder)));
    if (found.length + custom.length === 0) return;
    if (performance.now() > end) throw new Error(`cannot be deleted: ${[...found.map(({ identity }) => identity), ...custom].join(", ")}`);
    await Promise.all(found.filter(isReplayed).map((object) => removeFinalizers(client, object)));
    await etcd.delete([...found.filter((object) => !isService(object)).map(({ key }) => key), ...custom]);
    await Promise.all(found.filter(isService).map((service) => removeService(client, service)));
  }
}

/** What a server creates for itself some time after its start: it may be missing in the inventory, and is recreated only after a while. */
function isCreatedByServer({ kind, ref: { namespace, name } }: StoredObject): boolean {
  if (kind.plural === "namespaces") return name === "default" || name.startsWith("kube-");
  return kind.plural === "services" && namespace === "default" && name === "kubernetes";
}

function isService({ kind }: StoredObject): boolean {
  return kind.plural === "services";
}

function isDefinition({ kind }: StoredObject): boolean {
  return kind.plural === "customresourcedefinitions";
}

/** Whether sidecars replay the deletions of the kind: an object deleted with its finalizers would make those of the next test clean up after it. */
function isReplayed({ kind }: StoredObject): boolean {
  return ["volumeattachments", "persistentvolumes", "persistentvolumeclaims"].includes(kind.plural);
}

async function removeFinalizers(client: Client, { kind, ref }: StoredObject): Promise<void> {
  await ignoreNotFound(client.patch(kind, ref, mergePatch({ metadata: { finalizers: null } })));
}

/** Deleted through the server, which releases the service's address. */
async function removeService(client: Client, service: StoredObject): Promise<void> {
  const { kind, ref } = service;
  await removeFinalizers(client, service);
  await ignoreNotFound(client.delete(kind, ref));
}

/** An object of a kind that tests create, as etcd knows it. */
interface StoredObject {
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

const builtInFolder = (plural: string) => `/registry/${ownValue(otherFolders, plural) ?? plural}/`;

const folders = builtInKinds
  .filter(({ viewOf }) => !viewOf)
  .map((kind) => ({
    kind: resource(kind.group ? `${kind.group}/${kind.version}` : kind.version, kind.plural, kind.kind, { namespaced: kind.namespaced }),
    folder: builtInFolder(kind.plural),
  }));

/** The object under a key, if it is of a built-in kind. */
function storedObject({ key, created }: StoredKey): StoredObject | undefined {
  const found = folders.find(({ folder }) => key.startsWith(folder));
  return found && { kind: found.kind, ref: refOf(key.slice(found.folder.length)), key, identity: `${key}@${created}` };
}

/** The key of an object. */
export function storageKey({ group, plural }: Resource, ref: ObjectRef): string {
  const isBuiltIn = folders.some(({ kind }) => kind.group === group && kind.plural === plural);
  return `${isBuiltIn ? builtInFolder(plural) : folderOf(`${plural}.${group}`)}${refKey(ref)}`;
}

/** Where the objects of a custom kind are kept, by the name of its definition: `/registry/example.com/parcels/`. */
function folderOf(definition: string): string {
  const [plural = "", ...group] = definition.split(".");
  return `/registry/${group.join(".")}/${plural}/`;
}
