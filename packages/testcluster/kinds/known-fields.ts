import type { KnownFields } from "../rules/fields/known-fields.ts";
import { type PublishedSchema, publishedSchemas, referredName } from "./schemas.ts";

/** Reads the known fields out of published schemas, each schema once. */
export class PublishedFields {
  readonly #read = new Map<string, KnownFields | undefined>();

  /** The fields of a schema by its name. */
  of(name: string): KnownFields | undefined {
    if (this.#read.has(name)) return this.#read.get(name);
    const schema = publishedSchemas()[name];
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
