import type { Schema } from "../crd/schema.ts";
import type { KnownFields } from "./known-fields.ts";

/** The fields that the schema of a custom kind knows. Its metadata are those of every object. */
export function fieldsOfDefinition(schema: Schema, metadata: KnownFields): KnownFields {
  return resource(schema, metadata);
}

function resource(schema: Schema, metadata: KnownFields): KnownFields {
  const fields = fieldsOf(schema, metadata);
  const typed = new Map([...fields, ["apiVersion", undefined], ["kind", undefined], ["metadata", metadata]] as const);
  return { is: "struct", fields: typed, open: isOpen(schema) };
}

function knownOf(schema: Schema, metadata: KnownFields): KnownFields | undefined {
  if (schema["x-kubernetes-embedded-resource"]) return resource(schema, metadata);
  if (schema.items) {
    const items = knownOf(schema.items, metadata);
    return items && { is: "list", items };
  }
  if (typeof schema.additionalProperties === "object") {
    const values = knownOf(schema.additionalProperties, metadata);
    return values && { is: "map", values };
  }
  if (schema.type !== "object") return undefined;
  return { is: "struct", fields: fieldsOf(schema, metadata), open: isOpen(schema) };
}

const fieldsOf = (schema: Schema, metadata: KnownFields): ReadonlyMap<string, KnownFields | undefined> =>
  new Map(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, knownOf(inner, metadata)]));

const isOpen = (schema: Schema): boolean => schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true;
