import { until } from "@csi-sidecars/base/testing";
import { type Client, isConflict, type KubeObject, mergePatch, resource } from "@csi-sidecars/kube";
import type { JsonObject } from "../rules/json.ts";

export interface Definition extends KubeObject {
  readonly spec?: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly storedVersions?: readonly string[];
  };
}

type Conditions = NonNullable<Definition["status"]>["conditions"];

export const Definition = resource<Definition>("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", {
  namespaced: false,
});

/** Makes the API server serve custom kinds, by their CustomResourceDefinitions. */
export async function installDefinitions(admin: Client, definitions: readonly JsonObject[]): Promise<void> {
  await Promise.all(definitions.map((definition) => install(admin, definition)));
}

async function install(admin: Client, definition: Definition): Promise<void> {
  const { metadata, spec } = await admin.create(Definition, definition);
  const { name = "" } = metadata ?? {};
  for (const version of spec?.versions ?? []) {
    if (version.served) await until(`${name} ${version.name}`, () => isServed(admin, definition, version.name));
  }
  await growOld(admin, name);
}

/** Whether discovery shows the kind in a version. */
export async function isServed(admin: Client, { spec }: Definition, version: string): Promise<boolean> {
  const kinds = await admin.discover(`${spec?.group}/${version}`);
  return kinds?.some((kind) => kind.name === spec?.names.plural) ?? false;
}

/** kube-apiserver holds up the creation of objects for two seconds where their kind is served for less. */
async function growOld(admin: Client, name: string): Promise<void> {
  // Discovery may still show the kind of a definition that was deleted before.
  const isEstablished = (conditions: Conditions) => conditions?.some(({ type, status }) => type === "Established" && status === "True");
  // The server adds other conditions meanwhile, and writes the one about the approval only once: none may be taken back.
  await until(`${name} to be established`, async () => {
    const { metadata, status } = await admin.get(Definition, { name });
    if (!status?.conditions || !isEstablished(status.conditions)) return false;
    const old = status.conditions.map((condition) => ({ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }));
    const patch = mergePatch({ metadata: { resourceVersion: metadata?.resourceVersion }, status: { conditions: old } });
    return admin.patch(Definition, { name }, patch, { subresource: "status" }).catch((error: unknown) => {
      if (!isConflict(error)) throw error;
    });
  });
}
