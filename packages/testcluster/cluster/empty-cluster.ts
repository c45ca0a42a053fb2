import { type Client, isNotFound, type KubeObject, mergePatch, type Resource, resource } from "@csi-sidecars/kube";
import { builtInKinds } from "../kinds/built-in.ts";

/** Kinds that no test leaves behind; CRDs go last, because their objects vanish with them. */
const leftByTests: readonly Resource[] = builtInKinds
  .filter((kind) => !["namespaces", "customresourcedefinitions"].includes(kind.plural) && !(kind.group === "events.k8s.io"))
  .map((kind) =>
    resource(kind.group ? `${kind.group}/${kind.version}` : kind.version, kind.plural, kind.kind, { namespaced: kind.namespaced }),
  )
  .concat(resource("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", { namespaced: false }));

/** What the cluster holds, so that what is added later can be told from it. */
export async function inventory(client: Client): Promise<ReadonlySet<string>> {
  const uids = new Set<string>();
  for (const kind of leftByTests) for (const object of await allOf(client, kind)) uids.add(object.metadata?.uid ?? "");
  return uids;
}

/** What a server makes for itself, sooner or later after its start: it may be missing in an inventory, and comes back only after a while. */
function isOwn(kind: Resource, { metadata }: KubeObject): boolean {
  return kind.plural === "services" && metadata?.namespace === "default" && metadata.name === "kubernetes";
}

/** Deletes everything that is not in the inventory, whatever finalizers it has. */
export async function emptyCluster(client: Client, keep: ReadonlySet<string>): Promise<void> {
  for (const kind of leftByTests) {
    for (let round = 0; ; round++) {
      const found = (await allOf(client, kind)).filter((object) => !keep.has(object.metadata?.uid ?? "") && !isOwn(kind, object));
      if (found.length === 0) break;
      if (round === 20) throw new Error(`${kind.plural} cannot be deleted: ${found.map((object) => object.metadata?.name).join(", ")}`);
      await Promise.all(found.map((object) => remove(client, kind, object)));
    }
  }
}

async function allOf(client: Client, kind: Resource): Promise<KubeObject[]> {
  try {
    return (await client.list(kind)).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function remove(client: Client, kind: Resource, { metadata }: KubeObject): Promise<void> {
  const ref = { name: metadata?.name ?? "", ...(metadata?.namespace && { namespace: metadata.namespace }) };
  try {
    await client.delete(kind, ref, { gracePeriodSeconds: 0 });
    if (metadata?.finalizers?.length) await client.patch(kind, ref, mergePatch({ metadata: { finalizers: null } }));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
