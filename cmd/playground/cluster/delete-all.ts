import type { Client, KubeObject, Resource, Selection } from "@csi-sidecars/kube";

/** Deletes every object of a kind that the selection finds. */
export async function deleteAll<T extends KubeObject>(admin: Client, resource: Resource<T>, selection: Selection): Promise<void> {
  const { items } = await admin.list(resource, selection);
  await Promise.all(items.map(({ metadata }) => admin.delete(resource, { namespace: metadata?.namespace, name: metadata?.name ?? "" })));
}
