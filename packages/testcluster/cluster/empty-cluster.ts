import { type Client, isNotFound, type KubeObject, mergePatch, type Resource, resource } from "@csi-sidecars/kube";
import { builtInKinds } from "../kinds/built-in.ts";

interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string; readonly kind: string };
    readonly scope: string;
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

const definitions = resource<Definition>("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", {
  namespaced: false,
});

/** Kinds that no test leaves behind; CRDs are taken care of after them. */
const leftByTests: readonly Resource[] = builtInKinds
  .filter((kind) => !["namespaces", definitions.plural].includes(kind.plural) && !(kind.group === "events.k8s.io"))
  .map((kind) =>
    resource(kind.group ? `${kind.group}/${kind.version}` : kind.version, kind.plural, kind.kind, { namespaced: kind.namespaced }),
  );

/** What the cluster holds, so that what is added later can be told from it. */
export async function inventory(client: Client): Promise<ReadonlySet<string>> {
  const uids = new Set<string>();
  for (const kind of [...leftByTests, definitions]) for (const object of await allOf(client, kind)) uids.add(object.metadata?.uid ?? "");
  return uids;
}

/** What a server makes for itself, sooner or later after its start: it may be missing in an inventory, and comes back only after a while. */
function isOwn(kind: Resource, { metadata }: KubeObject): boolean {
  return kind.plural === "services" && metadata?.namespace === "default" && metadata.name === "kubernetes";
}

/** Deletes everything that is not in the inventory, whatever finalizers it has. */
export async function emptyCluster(client: Client, keep: ReadonlySet<string>): Promise<void> {
  for (const kind of leftByTests) await emptyKind(client, kind, keep);
  for (const definition of await allOf(client, definitions)) {
    if (!keep.has(definition.metadata?.uid ?? "")) await removeCustomKind(client, definition);
  }
}

async function emptyKind(client: Client, kind: Resource, keep: ReadonlySet<string>): Promise<void> {
  for (let round = 0; ; round++) {
    const found = (await allOf(client, kind)).filter((object) => !keep.has(object.metadata?.uid ?? "") && !isOwn(kind, object));
    if (found.length === 0) return;
    if (round === 20) throw new Error(`${kind.plural} cannot be deleted: ${found.map((object) => object.metadata?.name).join(", ")}`);
    await Promise.all(found.map((object) => remove(client, kind, object)));
  }
}

/** A CRD's own finalizer stays: without it the server forgets the kind but not its objects, which come back with the next CRD of its name. */
async function removeCustomKind(client: Client, { metadata, spec }: Definition): Promise<void> {
  const ref = { name: metadata?.name ?? "" };
  const version = spec.versions.find(({ served }) => served)?.name;
  if (version) {
    const namespaced = spec.scope === "Namespaced";
    await emptyKind(client, resource(`${spec.group}/${version}`, spec.names.plural, spec.names.kind, { namespaced }), new Set());
  }
  await client.delete(definitions, ref).catch(unlessNotFound);
  for (const end = Date.now() + 20_000; (await allOf(client, definitions)).some(({ metadata: { uid } = {} }) => uid === metadata?.uid); ) {
    if (Date.now() > end) throw new Error(`the custom kind ${ref.name} cannot be deleted`);
    await Bun.sleep(20);
  }
}

async function allOf<T extends KubeObject>(client: Client, kind: Resource<T>): Promise<T[]> {
  try {
    return (await client.list(kind)).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function remove(client: Client, kind: Resource, { metadata }: KubeObject): Promise<void> {
  const ref = { name: metadata?.name ?? "", ...(metadata?.namespace && { namespace: metadata.namespace }) };
  await client.delete(kind, ref, { gracePeriodSeconds: 0 }).catch(unlessNotFound);
  if (metadata?.finalizers?.length) await client.patch(kind, ref, mergePatch({ metadata: { finalizers: null } })).catch(unlessNotFound);
}

function unlessNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
