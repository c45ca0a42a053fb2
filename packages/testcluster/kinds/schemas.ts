import { createRequire } from "node:module";
import type { ServedKind } from "../rules/kind.ts";

/** An OpenAPI v3 schema as kube-apiserver publishes it, without descriptions. */
export interface PublishedSchema {
  readonly type?: string;
  readonly description?: string;
  readonly $ref?: string;
  readonly allOf?: readonly PublishedSchema[];
  readonly properties?: Readonly<Record<string, PublishedSchema>>;
  readonly additionalProperties?: PublishedSchema | boolean;
  readonly items?: PublishedSchema;
  readonly "x-kubernetes-group-version-kind"?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
}

export type PublishedSchemas = Readonly<Record<string, PublishedSchema>>;

export const objectMetaName = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

const load = createRequire(import.meta.url);

/** The schemas of all built-in kinds by name (`npm run generate:openapi`). Read from the file when first asked for, not at the start. */
export const publishedSchemas = (): PublishedSchemas => load("./gen/schemas.json");

/** The name of a built-in kind's schema: `io.k8s.api.storage.v1.CSINode`. */
export function schemaNameOf({ group, version, kind }: Pick<ServedKind, "group" | "version" | "kind">): string | undefined {
  const isMeant = (schema: PublishedSchema) =>
    schema["x-kubernetes-group-version-kind"]?.some((one) => one.kind === kind && one.group === group && one.version === version);
  return Object.entries(publishedSchemas()).find(([, schema]) => isMeant(schema))?.[0];
}

/** The schema that another one refers to, itself or as its only part. */
export function referredName(schema: PublishedSchema): string | undefined {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference?.slice("#/components/schemas/".length);
}
