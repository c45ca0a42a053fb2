import { ownValue } from "@csi-sidecars/base";

/**
 * How a value is owned and merged when it is applied: as a whole (`leaf`), field by field, member by member, as a set of texts, or item by item
 * of a list whose items have keys.
 */
export type MergeShape =
  | { readonly is: "leaf" }
  | { readonly is: "struct"; readonly fields: ReadonlyMap<string, MergeShape> }
  | { readonly is: "map"; readonly values: MergeShape }
  | { readonly is: "set" }
  | {
      readonly is: "keyed";
      readonly keys: readonly string[];
      /** Keys that an item may leave out. */
      readonly defaults: Readonly<Record<string, unknown>>;
      readonly items: MergeShape;
    };

export const leaf: MergeShape = { is: "leaf" };

/** The part of an OpenAPI schema that says how values are merged. */
interface MergeableSchema {
  readonly $ref?: string;
  readonly allOf?: readonly MergeableSchema[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, MergeableSchema>>;
  readonly additionalProperties?: MergeableSchema | boolean;
  readonly items?: MergeableSchema;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
}

/** Derives shapes from schemas; named ones, which may be recursive, once. */
export class MergeShapes {
  readonly #named: (name: string) => MergeableSchema | undefined;
  readonly #read = new Map<string, MergeShape>();

  constructor(named: (name: string) => MergeableSchema | undefined) {
    this.#named = named;
  }

  of(schema: MergeableSchema): MergeShape {
    if (schema["x-kubernetes-map-type"] === "atomic") return leaf;
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    if (reference !== undefined) return this.named(reference.slice(reference.lastIndexOf("/") + 1));
    if (schema.items) return this.#list(schema, schema.items);
    if (typeof schema.additionalProperties === "object") return { is: "map", values: this.of(schema.additionalProperties) };
    if (!schema.properties) return schema["x-kubernetes-preserve-unknown-fields"] ? free : leaf;
    return this.#struct(schema, new Map());
  }

  named(name: string): MergeShape {
    const known = this.#read.get(name);
    if (known) return known;
    const schema = this.#named(name);
    if (!schema?.properties || schema["x-kubernetes-map-type"] === "atomic") return leaf;
    const fields = new Map<string, MergeShape>();
    const shape: MergeShape = { is: "struct", fields };
    this.#read.set(name, shape);
    this.#struct(schema, fields);
    return shape;
  }

  #struct(schema: MergeableSchema, fields: Map<string, MergeShape>): MergeShape {
    for (const [name, inner] of Object.entries(schema.properties ?? {})) fields.set(name, this.of(inner));
    return { is: "struct", fields };
  }

  #list(schema: MergeableSchema, items: MergeableSchema): MergeShape {
    const keys = schema["x-kubernetes-list-map-keys"];
    if (schema["x-kubernetes-list-type"] === "set") return { is: "set" };
    if (schema["x-kubernetes-list-type"] !== "map" || !keys) return leaf;
    return { is: "keyed", keys, defaults: this.#defaultsOf(items, keys), items: this.of(items) };
  }

  #defaultsOf(items: MergeableSchema, keys: readonly string[]): Readonly<Record<string, unknown>> {
    const reference = items.$ref ?? items.allOf?.[0]?.$ref;
    const schema = reference === undefined ? items : this.#named(reference.slice(reference.lastIndexOf("/") + 1));
    const given = keys.map((key) => [key, ownValue(schema?.properties, key)?.default] as const);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== ""));
  }
}

/** Values that no schema describes: objects member by member, all else as a whole. */
const free: MergeShape = { is: "map", values: { is: "map", values: leaf } };
