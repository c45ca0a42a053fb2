import { isObject, type JsonObject } from "../json.ts";
import { memberSchema, type Schema } from "./schema.ts";

const typeMembers = ["apiVersion", "kind", "metadata"];

/** An object without the members that its schema does not know. Types and metadata of the object itself always stay. */
export function pruned(object: JsonObject, schema: Schema): JsonObject {
  return pruneObject(object, schema, true);
}

function pruneValue(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => pruneValue(item, items)) : value;
  }
  return isObject(value) ? pruneObject(value, schema, schema["x-kubernetes-embedded-resource"] === true) : value;
}

function pruneObject(object: JsonObject, schema: Schema, isResource: boolean): JsonObject {
  const keepsUnknown = schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties === true;
  const kept = Object.entries(object).flatMap(([name, value]) => {
    if (isResource && typeMembers.includes(name)) return [[name, value] as const];
    const inner = memberSchema(schema, name);
    if (inner) return [[name, pruneValue(value, inner)] as const];
    return keepsUnknown ? [[name, value] as const] : [];
  });
  return Object.fromEntries(kept);
}
