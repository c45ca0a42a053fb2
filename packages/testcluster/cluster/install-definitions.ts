import { until } from "@csi-sidecars/base/testing";
import { type Client, type KubeObject, mergePatch, resource } from "@csi-sidecars/kube";
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
  const established = await until(`${name} to be established`, async () => {
    const conditions = (await admin.get(Definition, { name })).status?.conditions;
    return conditions && isEstablished(conditions) ? conditions : undefined;
  });
  const old = established.map((condition) => ({ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }));
  await admin.patch(Definition, { name }, mergePatch({ status: { conditions: old } }), { subresource: "status" });
}
