import { createRequire } from "node:module";
import { ownValue } from "@csi-sidecars/base";
import type { KnownFields } from "../rules/fields/known-fields.ts";
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

type PublishedSchemas = Readonly<Record<string, PublishedSchema>>;

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
function referredName(schema: PublishedSchema): string | undefined {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference?.slice("#/components/schemas/".length);
}

/**
 * A field of a protobuf message: number, name in JSON (empty when its members stand beside it there), type (a scalar's name or a message's),
 * whether it is a list or a map of them, and whether a zero is written to JSON too.
 */
export type MessageField = readonly [number: number, name: string, type: string, many: "" | "list" | "map", zero: 0 | 1];

/** The messages in which typed Go clients send built-in kinds, by the names of their schemas (`npm run generate:openapi`). Read when first asked for. */
export const publishedMessages = (): Readonly<Record<string, readonly MessageField[]>> => load("./gen/messages.json");

/** Reads the known fields out of published schemas, each schema once. */
export class PublishedFields {
  readonly #read = new Map<string, KnownFields | undefined>();

  /** The fields of a schema by its name. */
  of(name: string): KnownFields | undefined {
    if (this.#read.has(name)) return this.#read.get(name);
    const schema = ownValue(publishedSchemas(), name);
    if (!schema?.properties) {
      this.#read.set(name, undefined);
      return undefined;
    }
    const fields = new Map<string, KnownFields | undefined>();
    const known: KnownFields = { is: "struct", fields, open: false };
    // Known before its members are: schemas may contain themselves.
    this.#read.set(name, known);
    for (const [member, inner] of Object.entries(schema.properties)) fields.set(member, this.#within(inner));
    return known;
  }

  #within(schema: PublishedSchema): KnownFields | undefined {
    const referred = referredName(schema);
    if (referred !== undefined) return this.of(referred);
    if (schema.items) {
      const items = this.#within(schema.items);
      return items && { is: "list", items };
    }
    if (typeof schema.additionalProperties !== "object") return undefined;
    const values = this.#within(schema.additionalProperties);
    return values && { is: "map", values };
  }
}
