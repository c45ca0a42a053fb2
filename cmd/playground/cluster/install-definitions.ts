import type { CustomResourceDefinition as Definition } from "@csi-sidecars/crds";
import { type Client, isAlreadyExists, type KubeObject, mergePatch, resource } from "@csi-sidecars/kube";
import { waitUntil } from "../wait-until.ts";

const CustomResourceDefinition = resource<KubeObject>("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", {
  namespaced: false,
});

/** Installs kinds, as an administrator does once in a cluster. Resolves when they are served. */
export async function installDefinitions(admin: Client, definitions: readonly Definition[], signal: AbortSignal): Promise<void> {
  await Promise.all(definitions.map((definition) => installDefinition(admin, definition, signal)));
}

/** A kept cluster may have the definition of an older version, which is replaced. */
async function installDefinition(admin: Client, definition: Definition, signal: AbortSignal): Promise<void> {
  const { metadata, spec } = definition;
  await admin.create(CustomResourceDefinition, { ...definition, metadata: { ...metadata } }).catch(async (error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
    await admin.patch(CustomResourceDefinition, { name: metadata.name }, mergePatch({ spec }));
  });
  for (const { name } of spec.versions.filter(({ served }) => served)) {
    const isServed = async () => (await admin.discover(`${spec.group}/${name}`))?.some((kind) => kind.name === spec.names.plural);
    await waitUntil(`${metadata.name} ${name} to be served`, async () => (await isServed()) || undefined, { signal });
  }
}
